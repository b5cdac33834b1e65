/**
 * A watch's answer. Its headers go out at once, before there is any event, and must reach the client as they are: a
 * proxy that compressed the stream would hold events back until it had enough of them, and clients written in Go
 * always offer gzip. `no-transform` forbids that to Cloudflare's edge, the content encoding to the local runtime.
 */
export function streamResponse(body: ReadableStream): Response {
  return new Response(body, {
    headers: {
      "content-type": "application/json",
      "content-encoding": "identity",
      "cache-control": "no-cache, private, no-transform",
    },
  });
}
