import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEndpoint, shownEndpoint } from "./endpoint.ts";

const OPEN = { allowPrivate: false };
const LOCAL = { allowPrivate: true };

const outcome = (text: string, policy: { allowPrivate: boolean }): string => {
  const reading = readEndpoint(text, policy);
  return "fault" in reading ? reading.fault : "called";
};
const at = (address: string) => `is at ${address}, which is not an address of the public internet`;
const named = (name: string) => `is at ${name}, which is not a public name`;

describe("an endpoint of the public internet is called", () => {
  test.each([
    "https://deleter.example.com/",
    "http://deleter.example.com:8080/volumes?token=x",
    "https://93.184.216.34/",
    "https://8.8.8.8:443",
    "https://100.63.255.255/",
    "https://100.128.0.1/",
    "https://172.15.255.255/",
    "https://172.32.0.1/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    "https://[2001:4860:4860::8888]/",
    "https://local.example.com/",
    "https://xn--bcher-kva.example/",
    "https://deleter.example.com./",
  ])("%s", (endpoint) => {
    expect(outcome(endpoint, OPEN)).toBe("called");
  });
});

describe("an endpoint elsewhere is called only where that is allowed", () => {
  test.each([
    ["this machine", "http://127.0.0.1/", at("127.0.0.1")],
    ["this machine, by another of its addresses", "http://127.8.9.10/", at("127.8.9.10")],
    ["this machine, in decimal", "http://2130706433/", at("127.0.0.1")],
    ["this machine, in hexadecimal", "http://0x7f000001/", at("127.0.0.1")],
    ["this machine, in octal", "http://0177.0.0.1/", at("127.0.0.1")],
    ["this machine, part by part in another base", "http://0x7f.0.0.01/", at("127.0.0.1")],
    ["this machine, in two parts", "http://127.1/", at("127.0.0.1")],
    ["this machine, in full-width digits", "http://１２７.０.０.１/", at("127.0.0.1")],
    ["this machine, with ideographic stops", "http://127。0。0。1/", at("127.0.0.1")],
    ["this machine, percent-encoded", "http://%31%32%37.0.0.1/", at("127.0.0.1")],
    ["this machine, with a dot at its end", "http://127.0.0.1./", at("127.0.0.1")],
    ["this machine, by name", "http://localhost/", named("localhost")],
    ["this machine, by a name in capitals", "http://LOCALHOST./", named("localhost")],
    ["this machine, by a name in it", "http://a.localhost/", named("a.localhost")],
    ["this machine, in IPv6", "http://[::1]/", at("[::1]")],
    ["this machine, in IPv6 at length", "http://[0:0:0:0:0:0:0:1]/", at("[::1]")],
    ["nowhere, which systems take for this machine", "http://0.0.0.0/", at("0.0.0.0")],
    ["nowhere, as a number", "http://0/", at("0.0.0.0")],
    ["nowhere, in IPv6", "http://[::]/", at("[::]")],
    ["a private network, 10", "http://10.0.0.1/", at("10.0.0.1")],
    ["a private network, 172.16", "http://172.16.0.1/", at("172.16.0.1")],
    ["a private network, 172.31", "http://172.31.255.255/", at("172.31.255.255")],
    ["a private network, 192.168", "http://192.168.1.1/", at("192.168.1.1")],
    ["a private network, in decimal", "http://3232235777/", at("192.168.1.1")],
    ["a carrier's network", "http://100.64.0.1/", at("100.64.0.1")],
    ["a carrier's network, at its end", "http://100.127.255.254/", at("100.127.255.254")],
    ["metadata of a cloud", "http://169.254.169.254/latest/meta-data", at("169.254.169.254")],
    ["metadata of a cloud, in hexadecimal", "http://0xa9fea9fe/", at("169.254.169.254")],
    ["metadata of a cloud, in octal", "http://0251.0376.0251.0376/", at("169.254.169.254")],
    ["metadata of a cloud, by name", "http://metadata.google.internal/", named("metadata.google.internal")],
    ["metadata of a cloud, at a public address", "http://168.63.129.16/", at("168.63.129.16")],
    ["metadata of a cloud, in IPv6", "http://[fd00:ec2::254]/", at("[fd00:ec2::254]")],
    ["a benchmark's network", "http://198.18.0.1/", at("198.18.0.1")],
    ["documentation", "http://203.0.113.9/", at("203.0.113.9")],
    ["many machines", "http://224.0.0.1/", at("224.0.0.1")],
    ["many machines, in IPv6", "http://[ff02::1]/", at("[ff02::1]")],
    ["all machines", "http://255.255.255.255/", at("255.255.255.255")],
    ["a link, in IPv6", "http://[fe80::1]/", at("[fe80::1]")],
    ["a private network, in IPv6", "http://[fd12:3456:789a::1]/", at("[fd12:3456:789a::1]")],
    ["a site, in IPv6", "http://[fec0::1]/", at("[fec0::1]")],
    ["this machine, mapped to IPv6", "http://[::ffff:127.0.0.1]/", at("[::ffff:7f00:1]")],
    ["metadata, mapped to IPv6", "http://[::ffff:a9fe:a9fe]/", at("[::ffff:a9fe:a9fe]")],
    ["a public address, mapped to IPv6", "http://[::ffff:8.8.8.8]/", at("[::ffff:808:808]")],
    ["this machine, compatible with IPv6", "http://[::127.0.0.1]/", at("[::7f00:1]")],
    ["this machine, through NAT64", "http://[64:ff9b::127.0.0.1]/", at("[64:ff9b::7f00:1]")],
    ["this machine, through local NAT64", "http://[64:ff9b:1::7f00:1]/", at("[64:ff9b:1::7f00:1]")],
    ["this machine, through 6to4", "http://[2002:7f00:1::]/", at("[2002:7f00:1::]")],
    ["a private network, through Teredo", "http://[2001:0:a00:1::1]/", at("[2001:0:a00:1::1]")],
    ["documentation, in IPv6", "http://[2001:db8::1]/", at("[2001:db8::1]")],
    ["a machine of this network, by name", "http://kubernetes/", named("kubernetes")],
    ["a Service of a cluster", "http://deleter.storage.svc/", named("deleter.storage.svc")],
    ["a Service of a cluster, in full", "http://a.b.svc.cluster.local/", named("a.b.svc.cluster.local")],
    ["a printer", "http://printer.local/", named("printer.local")],
    ["a router", "http://router.home.arpa/", named("router.home.arpa")],
    ["a name that only looks like a number", "http://127.0.0.1.lan/", named("127.0.0.1.lan")],
  ])("%s: %s", (_, endpoint, fault) => {
    expect(outcome(endpoint, OPEN)).toBe(fault);
    expect(outcome(endpoint, LOCAL)).toBe("called");
  });
});

describe("an endpoint is never called", () => {
  test.each([
    ["that is no URL", "deleter.example.com", "is not an absolute URL"],
    ["that is no address", "http://1.2.3.4.5/", "is not an absolute URL"],
    ["that is too large a number", "http://4294967296/", "is not an absolute URL"],
    ["with another protocol", "ftp://example.com/", "is neither http nor https"],
    ["that is a file", "file:///etc/passwd", "is neither http nor https"],
    ["that is data", "data:text/plain,x", "is neither http nor https"],
    ["that is code", "javascript:alert(1)", "is neither http nor https"],
    ["with credentials", "https://me:secret@example.com/", "holds credentials"],
    ["with a name to mislead", "https://example.com@127.0.0.1/", "holds credentials"],
    ["that is a mail server", "http://example.com:25/", "has port 25, which is not for HTTP"],
    ["that is a shell", "https://example.com:22/", "has port 22, which is not for HTTP"],
    ["at port 0", "http://example.com:0/", "has port 0, which is not for HTTP"],
  ])("%s: %s", (_, endpoint, fault) => {
    expect(outcome(endpoint, OPEN)).toBe(fault);
    expect(outcome(endpoint, LOCAL)).toBe(fault);
  });
});

test("no IPv4 address of this machine or of a private network is called, however it is written", () => {
  const part = fc.integer({ min: 0, max: 255 });
  const hidden = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), part, part, part),
    fc.tuple(fc.constant(192), fc.constant(168), part, part),
    fc.tuple(fc.constant(169), fc.constant(254), part, part),
  );
  const spelling = fc.constantFrom<(parts: number[]) => string>(
    (parts) => parts.join("."),
    (parts) => parts.map((each) => `0${each.toString(8)}`).join("."),
    (parts) => parts.map((each) => `0x${each.toString(16)}`).join("."),
    ([a = 0, b = 0, c = 0, d = 0]) => String(((a * 256 + b) * 256 + c) * 256 + d),
    ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b}.${c * 256 + d}`,
    (parts) => `[::ffff:${parts.join(".")}]`,
    (parts) => `[64:ff9b::${parts.join(".")}]`,
  );
  fc.assert(
    fc.property(hidden, spelling, (parts, spell) => outcome(`http://${spell(parts)}/`, OPEN) !== "called"),
  );
});

test("an endpoint is shown without its query and its fragment", () => {
  expect(shownEndpoint("https://example.com:8443/a/b?token=secret#c")).toBe("https://example.com:8443/a/b");
  expect(shownEndpoint("https://me:secret@example.com/a")).toBe("https://example.com/a");
  expect(shownEndpoint("no URL: secret")).toBe("the endpoint");
});
