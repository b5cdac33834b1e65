import { describe, expect, it, test } from "vitest";
import { ListingMemory } from "./listing-memory.ts";
import { readReport } from "./read-report.ts";
import { readReportBody, textsOf } from "./report-body.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));

/** As the platform itself writes a form. */
async function form(parts: Record<string, string | File>): Promise<[Uint8Array<ArrayBuffer>, string]> {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) data.append(name, value);
  const response = new Response(data);
  return [new Uint8Array(await response.arrayBuffer()), response.headers.get("content-type") ?? ""];
}

describe("the parts of a posted report", () => {
  it("are those of a form, of fields and of files, whatever they hold", async () => {
    const parts = {
      agent: "version 1\nsequence 2",
      images: '{"images": []}',
      logs: "",
      links: "\r\n--no\r\n\r\nö…\n",
    };
    for (const file of [false, true]) {
      const posted = Object.entries(parts).map(([name, text]) => [
        name,
        file ? new File([text], name) : text,
      ]);
      const read = readReportBody(...(await form(Object.fromEntries(posted))));
      // Line ends of fields, but not of files, are written as CRLF.
      const expected = file
        ? parts
        : { ...parts, agent: "version 1\r\nsequence 2", links: "\r\n--no\r\n\r\nö…\r\n" };
      expect(read.ok && textsOf(read.value)).toEqual(expected);
    }
  });

  it("are not read when they are known", async () => {
    const read = readReportBody(...(await form({ a: "x", b: "yz" })));
    expect(read.ok && textsOf(read.value, (name) => name === "a")).toEqual({ a: "", b: "yz" });
  });

  it("may come after a preamble, which is nobody's", () => {
    const text = 'hello\r\n--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\nbye';
    const read = readReportBody(bytes(text), 'multipart/form-data; boundary="x"');
    expect(read.ok && textsOf(read.value)).toEqual({ a: "b" });
  });

  it("are the fields of a JSON object, each a text or what the text would hold", () => {
    const read = readReportBody(
      bytes('{"agent": "version 1", "images": {"images": []}}'),
      "application/json",
    );
    expect(read.ok && textsOf(read.value)).toEqual({ agent: "version 1", images: '{"images":[]}' });
  });

  test.each([
    ["no boundary", "multipart/form-data", "--x\r\n"],
    ["another boundary", "multipart/form-data; boundary=x", "--y\r\n\r\n--y--"],
    ["no end", "multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb'],
    ["no head", "multipart/form-data; boundary=x", "--x\r\n"],
    ["no name", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data\r\n\r\nb\r\n--x--"],
    [
      "a name twice",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--',
    ],
    ["not JSON", "application/json", "{"],
    ["no object", "application/json", "[]"],
  ])("are refused with %s", (_, type, text) => {
    expect(readReportBody(bytes(text), type)).toMatchObject({ ok: false, failure: { reason: "BadRequest" } });
  });

  it("are refused in another form", () => {
    expect(readReportBody(bytes("x"), "text/plain")).toMatchObject({
      failure: { reason: "UnsupportedMediaType" },
    });
  });
});

describe("a large listing", () => {
  const agent = "version 1\nsequence 1\nmode run";
  const listing = (first: string): string =>
    JSON.stringify({
      images: Array.from({ length: 2000 }, (_, n) => ({
        id: n === 0 ? first : `i${n}`,
        size: "1",
        pad: "x".repeat(40),
      })),
    });

  async function read(memory: ListingMemory, images: string) {
    const body = readReportBody(...(await form({ agent, images })));
    if (!body.ok) throw new Error("refused");
    const { known, remember } = await memory.recall(body.value);
    const reading = readReport(
      textsOf(body.value, (part) => known[part] !== undefined),
      known,
    );
    if ("fault" in reading) throw new Error(reading.fault);
    remember(reading.report);
    return reading.report;
  }

  it("is read again only when it has changed", async () => {
    const memory = new ListingMemory();
    const first = await read(memory, listing("a"));
    expect((await read(memory, listing("a"))).images).toBe(first.images);
    const changed = await read(memory, listing("b"));
    expect(changed.images?.items[0]?.id).toBe("b");
    expect(changed.images).not.toBe(first.images);
  });

  it("with faults is read each time, and they are told each time", async () => {
    const memory = new ListingMemory();
    const broken = listing("a").replace('"size":"1"', '"size":"no"');
    const first = await read(memory, broken);
    expect(first.faults).toHaveLength(1);
    expect((await read(memory, broken)).faults).toEqual(first.faults);
  });
});
