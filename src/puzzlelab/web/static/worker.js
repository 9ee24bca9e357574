/**
 * The service worker: keeps the page and the answers of the server, so that what was opened and solved is there without
 * the server. Another program may answer at the same address later: then the worker leaves, and keeps nothing of it.
 * The server writes VERSION and FILES, the files of the page, before this text.
 */

const OURS = "x-puzzlelab"; // the header of every answer of the server
const PREFIX = "puzzlelab-"; // of the names of its caches
const PAGE = `${PREFIX}page-${VERSION}`;
const ANSWERS = `${PREFIX}answers`;
const HASHED = /-[0-9a-f]{12}\.\w+$/; // the end of a name that changes with the content
const MAX_ANSWERS = 300;
const OFFLINE = "This needs the server of puzzlelab, which cannot be reached.";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(PAGE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeCaches([PAGE, ANSWERS]).then(() => self.clients.claim()));
});

/** Remove the caches of puzzlelab but for these. */
async function removeCaches(kept) {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && !kept.includes(name));
  await Promise.all(names.map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/docs")) return;
  event.respondWith(url.pathname.startsWith("/api/") ? answer(event) : file(event));
});

/** The response at the address of the server; where it is another program's, the worker and its caches are removed. */
async function fetched(request) {
  const response = await fetch(request);
  const isUnknown = response.type !== "basic" || response.status >= 500; // of a redirect, or of a forwarder
  if (isUnknown || response.headers.has(OURS)) return response;
  await Promise.all([self.registration.unregister(), removeCaches([])]);
  return response;
}

/** An answer of the server, or the same as it was once. */
async function answer({ request }) {
  try {
    const response = await fetched(request);
    if (response.ok && response.headers.has(OURS)) keep(request.url, response.clone());
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

/** A file of the page: its newest version, or the kept one without the server. */
async function file({ request }) {
  const kept = await caches.match(request.url, { cacheName: PAGE, ignoreSearch: true });
  if (kept && HASHED.test(new URL(request.url).pathname)) return kept;
  return fetched(request).catch((error) => {
    if (kept) return kept;
    throw error;
  });
}
