/** Eight groups of sixteen bits; an IPv4 address is written as its IPv4-mapped one. */
type Address = readonly number[];

/** A block of addresses: its first address, and how many leading bits count. */
type Block = readonly [first: string, bits: number];

/**
 * Addresses that are not of the public internet. Source: IANA's special-purpose address registries (RFC 6890), those
 * that are not globally reachable, and multicast.
 */
const V4_BLOCKS: readonly Block[] = [
  ["0.0.0.0", 8], // unspecified, "this network"
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // shared behind carrier-grade NAT
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // what a cloud tells its machines, at an address that looks public
  ["169.254.0.0", 16], // link-local, and the metadata of clouds
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16],
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
];

/** Within what is handed out, 2000::/3; all the rest is special or unused. */
const V6_BLOCKS: readonly Block[] = [
  ["2001::", 23], // Teredo, ORCHID and other protocols
  ["2001:db8::", 32],
  ["2002::", 16], // 6to4: an IPv4 address in disguise
  ["3fff::", 20],
];
const V6_HANDED_OUT: Block = ["2000::", 3];

/**
 * Whether a literal address, as the `hostname` of a URL has it, belongs to the public internet; undefined when it is a name.
 * An IPv6 address that carries an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo) is never public: whoever has a
 * public IPv4 endpoint can write it as such.
 */
export function isPublicAddress(hostname: string): boolean | undefined {
  const v6 = hostname.startsWith("[");
  const address = v6 ? parseV6(hostname.slice(1, -1)) : parseV4(hostname);
  if (address === undefined) return v6 ? false : undefined;
  return v6
    ? within(address, V6_HANDED_OUT) && !V6_BLOCKS.some((block) => within(address, block))
    : !V4_BLOCKS.some(([first, bits]) => within(address, [first, bits + 96]));
}

/** Dotted decimal only: a URL has brought every other spelling into this one. */
function parseV4(text: string): Address | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
}

/** As a URL writes it: hexadecimal groups, with one `::` at most. */
function parseV6(text: string): Address | undefined {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const before = groups(head);
  const after = groups(tail ?? "");
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const address = [...before, ...new Array<number>(missing).fill(0), ...after];
  return address.every((group) => group >= 0 && group <= 0xffff) ? address : undefined;
}

function within(address: Address, [first, bits]: Block): boolean {
  const start = parseV4(first) ?? parseV6(first) ?? [];
  return address.every((group, i) => {
    const counted = Math.min(16, Math.max(0, bits - i * 16));
    const mask = (0xffff << (16 - counted)) & 0xffff;
    return (group & mask) === ((start[i] ?? 0) & mask);
  });
}
