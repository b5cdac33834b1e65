import { isPublicAddress } from "./address.ts";

/**
 * Names that no public DNS answers for: of the machine, of a local network, of a cluster. Source: RFC 6761, 6762 with its
 * appendix G, 8375, and ICANN's `.internal`.
 */
const LOCAL_DOMAINS = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "svc",
] as const;

/**
 * Ports of services that take an HTTP request for something else, mail before all. Source: the Fetch standard's list of
 * bad ports.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

export type EndpointReading = { url: URL } | { fault: string };

/**
 * Whether an endpoint that a cluster configured may be called. Every spelling of an address that a URL takes (decimal, octal,
 * hexadecimal, short, full-width) is one spelling once it is parsed.
 */
export function readEndpoint(text: string, { allowPrivate }: { allowPrivate: boolean }): EndpointReading {
  const url = URL.parse(text);
  if (url === null) return { fault: "is not an absolute URL" };
  if (url.protocol !== "https:" && url.protocol !== "http:") return { fault: "is neither http nor https" };
  if (url.username !== "" || url.password !== "") return { fault: "holds credentials" };
  if (url.port !== "" && BAD_PORTS.has(Number(url.port)))
    return { fault: `has port ${url.port}, which is not for HTTP` };
  if (allowPrivate) return { url };
  const name = url.hostname.replace(/\.$/, "");
  const isPublic = isPublicAddress(name);
  if (isPublic === false) return { fault: `is at ${name}, which is not an address of the public internet` };
  if (isPublic === undefined && !isPublicName(name))
    return { fault: `is at ${name}, which is not a public name` };
  return { url };
}

/** A name of one label is looked up in the network one is in. */
const isPublicName = (name: string): boolean =>
  name.includes(".") && !LOCAL_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));

/** An endpoint as it may be shown and logged: without its query, which may hold a token. */
export function shownEndpoint(text: string): string {
  const url = URL.parse(text);
  return url === null ? "the endpoint" : `${url.protocol}//${url.host}${url.pathname}`;
}
