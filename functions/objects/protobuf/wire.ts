/** One field as it lies in a message. Of a number the two halves are kept, since 64 bits do not fit a JavaScript number. */
export type WireField = { readonly number: number } & (
  | { readonly type: typeof VARINT; readonly low: number; readonly high: number }
  | { readonly type: typeof BYTES | typeof FIXED64 | typeof FIXED32; readonly bytes: Uint8Array }
);

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;

/**
 * Reads a message field by field. It never throws: what cannot be read ends the reading and is told by `fault`, in the
 * words of the decoders that gogo/protobuf generates. Groups, which Kubernetes never used, are refused.
 *
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
export class WireReader {
  fault: string | undefined;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next field; undefined at the end, or once there is a fault. */
  next(): WireField | undefined {
    if (this.#at >= this.#bytes.length || this.fault !== undefined) return undefined;
    const { low: tag, high } = this.#varint();
    if (this.fault !== undefined) return undefined;
    const number = tag >>> 3;
    const type = tag & 7;
    if (number === 0 || high !== 0) return this.#stop(`proto: illegal tag ${number} (wire type ${type})`);
    switch (type) {
      case VARINT: {
        const value = this.#varint();
        return this.fault === undefined ? { number, type, ...value } : undefined;
      }
      case BYTES: {
        const { low, high } = this.#varint();
        if (this.fault !== undefined) return undefined;
        return high === 0 && low >= 0 ? this.#take(number, type, low) : this.#stop(UNEXPECTED_END);
      }
      case FIXED64:
        return this.#take(number, type, 8);
      case FIXED32:
        return this.#take(number, type, 4);
      default:
        return this.#stop(`proto: illegal wireType ${type}`);
    }
  }

  /** The numbers of a packed list, to the end. */
  *varints(): Generator<{ low: number; high: number }> {
    while (this.#at < this.#bytes.length) {
      const value = this.#varint();
      if (this.fault !== undefined) return;
      yield value;
    }
  }

  #take(number: number, type: typeof BYTES | typeof FIXED64 | typeof FIXED32, length: number) {
    const end = this.#at + length;
    if (end > this.#bytes.length) return this.#stop(UNEXPECTED_END);
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return { number, type, bytes };
  }

  /** Ten bytes at most, seven bits in each, the lowest first; bits beyond the 64th are lost. */
  #varint(): { low: number; high: number } {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) {
        this.#stop(UNEXPECTED_END);
        break;
      }
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift > 28) high |= bits << (shift - 32);
      else if (shift === 28) high |= bits >>> 4;
      if (byte < 0x80) return { low, high };
    }
    this.fault ??= "proto: integer overflow";
    return { low: 0, high: 0 };
  }

  #stop(fault: string): undefined {
    this.fault ??= fault;
  }
}

const UNEXPECTED_END = "unexpected EOF";
