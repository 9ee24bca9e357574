"""The web page: a server that answers with plain JSON, and one static page. Searches run in worker processes.

Start with `routes.py`, the endpoints under `/api`, and `tasks.py`, what a worker does for each of them. A request goes
through these modules:

- `app.py` and `access.py`: the application, and the checks of every request;
- `routes.py` and `schemas.py`: the parameters become a job;
- `job_service.py`, `pool.py` and `worker_handle.py`: the job waits for a worker, which has limited time and memory;
- `worker.py`: the worker process reads the task, and sends messages and the result back;
- `tasks.py` and `task_context.py`: the task itself, by the same functions as on the command line.

`serve.py` runs the server. The page is in `static/`, without a build step; `page_files.py` joins its modules. Only
`cli/` imports this package, and only this package imports FastAPI.
"""
