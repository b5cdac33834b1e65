import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Fenced, FencedRequest, FencePolicy } from "../../functions/outbound/fence.ts";
import { inWorkerd } from "./in-workerd.ts";
import { serving, stopServing } from "./serving.ts";

type Call = [endpoint: string, request: FencedRequest, policy: FencePolicy];

let fenced: (...call: Call) => Promise<Fenced>;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ call: fenced, stop } = await inWorkerd<Call, Fenced>("functions/outbound/fence.ts", "fenced"));
});
afterEach(stopServing);
afterAll(() => stop());

const LOCAL = { allowPrivate: true };
const SECRET = { headers: { authorization: "Bearer secret" }, method: "POST", body: '{"token":"secret"}' };

describe("an endpoint that answers", () => {
  test("is taken at its word, whatever its status", async () => {
    const seen: string[] = [];
    const url = await serving((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      request.pipe(response.writeHead(409, { "x-kind": "echo" }));
    });
    expect(await fenced(`${url}/volumes?token=t`, SECRET, LOCAL)).toMatchObject({
      ok: true,
      status: 409,
      headers: { "x-kind": "echo" },
      text: SECRET.body,
    });
    expect(seen).toEqual(["POST /volumes?token=t Bearer secret"]);
  });

  test("may answer with nothing, and with characters cut in two", async () => {
    const url = await serving((request, response) => {
      if (request.url === "/nothing") return response.writeHead(204).end();
      const bytes = Buffer.from("é€😀");
      response.write(bytes.subarray(0, 1));
      return setTimeout(() => response.end(bytes.subarray(1)), 5);
    });
    expect(await fenced(`${url}/nothing`, {}, LOCAL)).toMatchObject({ ok: true, status: 204, text: "" });
    expect(await fenced(url, {}, LOCAL)).toMatchObject({ ok: true, text: "é€😀" });
  });

  test("is not called at a private address unless that is allowed", async () => {
    let called = false;
    const url = await serving((_, response) => {
      called = true;
      response.end();
    });
    expect(await fenced(`${url}/x?token=secret`, SECRET, { allowPrivate: false })).toEqual({
      ok: false,
      fault: "forbidden",
      message: `${url}/x is at 127.0.0.1, which is not an address of the public internet`,
    });
    expect(called).toBe(false);
  });

  test("does not lead anywhere else", async () => {
    const seen: (string | undefined)[] = [];
    const url = await serving((request, response) => {
      seen.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end("moved");
    });
    expect(await fenced(`${url}/x?token=secret`, SECRET, LOCAL)).toEqual({
      ok: false,
      fault: "redirected",
      message: `${url}/x answered 307, and redirects are not followed`,
    });
    expect(seen).toEqual(["/x?token=secret"]);
  });
});

describe("an endpoint that behaves badly", () => {
  test("by not answering is left after the time limit", async () => {
    const url = await serving(() => {});
    expect(await fenced(`${url}/?token=secret`, SECRET, { ...LOCAL, timeLimit: 50 })).toEqual({
      ok: false,
      fault: "timed-out",
      message: `${url}/ did not answer within 0.05 s`,
    });
  });

  test("by stopping in the middle of its answer is left after the time limit", async () => {
    const url = await serving((_, response) => response.writeHead(200).write("{"));
    expect(await fenced(url, {}, { ...LOCAL, timeLimit: 50 })).toMatchObject({ fault: "timed-out" });
  });

  test("by dripping its answer is left after the time limit", async () => {
    const url = await serving((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    });
    expect(await fenced(url, {}, { ...LOCAL, timeLimit: 100 })).toMatchObject({ fault: "timed-out" });
  });

  test("by never ending is left when it has said too much", async () => {
    const closed = new Promise<void>((resolve) => {
      void serving((_, response) => {
        response.writeHead(200).on("close", resolve);
        const pour = () => {
          while (response.write("x".repeat(10_000)));
          response.once("drain", pour);
        };
        pour();
      }).then(async (url) => {
        expect(await fenced(url, {}, { ...LOCAL, maxBytes: 50_000 })).toEqual({
          ok: false,
          fault: "too-large",
          message: `${url}/ answered with more than 50000 bytes`,
        });
      });
    });
    await closed;
  });

  test("by packing much into little is left when it has said too much", async () => {
    const url = await serving((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(5_000_000)));
    });
    expect(await fenced(url, {}, LOCAL)).toMatchObject({ fault: "too-large" });
  });

  test("by sending enormous headers is as good as not there", async () => {
    const url = await serving((_, response) => {
      response.writeHead(200, { "x-large": "x".repeat(1_000_000) }).end();
    });
    expect(await fenced(url, {}, LOCAL)).toMatchObject({ fault: "unreachable" });
  });

  test("by hanging up, or by speaking something else, is as good as not there", async () => {
    const url = await serving((request, response) => {
      if (request.url === "/hang-up") return response.socket?.destroy();
      return response.socket?.end("220 mail.example.com ESMTP\r\n");
    });
    for (const path of ["/hang-up", "/mail"]) {
      expect(await fenced(`${url}${path}`, SECRET, LOCAL)).toMatchObject({ fault: "unreachable" });
    }
  });

  test("by not being there is named, and nothing of what was to be sent", async () => {
    const url = await serving(() => {});
    await stopServing();
    expect(await fenced(`${url}/x?token=secret`, SECRET, LOCAL)).toEqual({
      ok: false,
      fault: "unreachable",
      message: `${url}/x could not be reached`,
    });
  });
});
