/**
 * The service worker: keeps the page and the answers of the server, so that what was opened and solved is there without
 * the server. The server writes VERSION and FILES, the files of the page, before this text.
 */

const PAGE = `page-${VERSION}`;
const ANSWERS = "answers";
const MAX_ANSWERS = 300;
const PATIENCE_MS = 4000;
const OFFLINE = "This needs the server of puzzlelab, which cannot be reached.";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(PAGE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOldPages().then(() => self.clients.claim()));
});

async function removeOldPages() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== PAGE && name !== ANSWERS).map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/docs")) return;
  event.respondWith(url.pathname.startsWith("/api/") ? answer(event) : file(event));
});

/** An answer of the server, or the same as it was once. */
async function answer({ request }) {
  try {
    const response = await fetch(request);
    if (response.ok) keep(request.url, response.clone());
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    const kept = await caches.match(request.url, { cacheName: ANSWERS });
    return kept ?? Response.json({ error: OFFLINE }, { status: 503 });
  }
}

/** Keep a response when it is complete; one that ends early is not kept. */
async function keep(url, response) {
  try {
    const cache = await caches.open(ANSWERS);
    await cache.delete(url); // so that it counts as the newest
    await cache.put(url, response);
    const urls = await cache.keys();
    await Promise.all(urls.slice(0, -MAX_ANSWERS).map((old) => cache.delete(old)));
  } catch {
    // the request was aborted, or there is no room
  }
}

/** A file of the page: its newest version, or the kept one if the server does not answer soon. */
async function file({ request }) {
  const kept = await caches.match(request.url, { cacheName: PAGE, ignoreSearch: true });
  if (!kept) return fetch(request);
  if (request.mode !== "navigate") return kept;
  const late = new Promise((done) => setTimeout(() => done(kept), PATIENCE_MS));
  return Promise.race([fetch(request).catch(() => kept), late]);
}
