"""The FastAPI application: the API, the static page, and the middleware."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from puzzlelab.version import VERSION
from puzzlelab.web.access import HEALTH, POLICY, RequestGuard
from puzzlelab.web.job_service import JobService, ServerLimits
from puzzlelab.web.page_files import PageFiles
from puzzlelab.web.routes import api
from puzzlelab.web.worker import INTERNAL_ERROR

MIN_COMPRESSED, COMPRESSION = 1000, 1
"""Bytes from which on an answer is compressed, and the level: the server answers nothing else meanwhile."""


def make_app(limits: ServerLimits | None = None, token: str | None = None) -> FastAPI:
    """Return the application; with a token, requests of other machines need it."""
    limits = limits or ServerLimits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service: JobService = app.state.job_service
        for pool in service.pools:
            pool.open()
        try:
            yield
        finally:
            for pool in service.pools:
                await pool.close()

    app = FastAPI(
        title="puzzlelab",
        version=VERSION,
        description="Solves puzzles. The answers are those that the command line prints with `--json`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.job_service = JobService(limits)
    app.include_router(api)
    _add_docs(app)

    @app.get(HEALTH, include_in_schema=False)
    async def health() -> JSONResponse:
        return JSONResponse({"status": "ok", "version": VERSION})

    _add_error_handlers(app)
    app.mount("/", PageFiles(limits), name="page")
    app.add_middleware(GZipMiddleware, minimum_size=MIN_COMPRESSED, compresslevel=COMPRESSION)
    app.add_middleware(RequestGuard, max_body=limits.body, token=token)
    return app


def _add_error_handlers(app: FastAPI) -> None:
    """Answer every error with a sentence as JSON."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return JSONResponse({"error": f"the body is no JSON, at character {first['loc'][-1]}"}, 422)
        where = ".".join(str(part) for part in first["loc"][1:])
        return JSONResponse({"error": f"{where}: {first['msg']}" if where else str(first["msg"])}, 422)

    @app.exception_handler(HTTPException)
    async def wrong(request: Request, error: HTTPException) -> Response:
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": INTERNAL_ERROR}, 500)


def _add_docs(app: FastAPI) -> None:
    """Serve the documentation of the API, without files from other servers."""
    import fastapi_offline

    files = "/api/docs/files"
    page = get_swagger_ui_html(
        openapi_url="/api/openapi.json",
        title="The API of puzzlelab",
        swagger_js_url=f"{files}/swagger-ui-bundle.js",
        swagger_css_url=f"{files}/swagger-ui.css",
        swagger_favicon_url="/icon.svg",
    )
    scripts = re.findall(rb"<script>(.*?)</script>", bytes(page.body), re.DOTALL)
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'" for text in scripts)
    policy = POLICY.replace("script-src 'self'", f"script-src 'self' {hashes}")
    policy = policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page.body, headers={"content-security-policy": policy})

    folder = Path(fastapi_offline.__file__).with_name("static")
    app.mount(files, StaticFiles(directory=folder), name="docs")
