import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate } from "@peculiar/asn1-x509";
import type { Millis } from "../objects/object.ts";

export type CertificateReading = { notAfter: Millis } | { fault: string };

const PEM_BLOCK =
  /-----BEGIN ([A-Z0-9 ]*)-----[ \t]*\r?\n((?:[^:\r\n]+:[^\r\n]*\r?\n)*)([\s\S]*?)-----END \1-----/;

/**
 * When the first certificate of the first PEM block ends. All certificates of that block must be well-formed, and there
 * must be one.
 *
 * Source: kubernetes `controller/certificates/cleaner` (isExpired): Go's `pem.Decode` and `x509.ParseCertificates`.
 *
 * @param pem what a `[]byte` field holds: PEM in base64
 */
export function readCertificate(pem: string): CertificateReading {
  const block = PEM_BLOCK.exec(fromBase64(pem) ?? "");
  const binary = fromBase64(block?.[3] ?? "");
  if (block === null || binary === undefined) return { fault: "the certificate is not PEM" };
  try {
    const [first] = derValues(Uint8Array.from(binary, (char) => char.charCodeAt(0))).map((der) =>
      AsnConvert.parse(der, Certificate),
    );
    const notAfter = first?.tbsCertificate.validity.notAfter.getTime().getTime();
    if (notAfter === undefined) return { fault: "the PEM block holds no certificate" };
    return Number.isNaN(notAfter) ? { fault: "the certificate's end cannot be read" } : { notAfter };
  } catch (error) {
    return { fault: `the certificate is malformed: ${error instanceof Error ? error.message : error}` };
  }
}

/** The characters stand for bytes; undefined when it is not base64. */
function fromBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}

/** The DER values that follow each other, whole: the parser itself would read the first and be silent on the rest. */
function derValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const values: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < bytes.length; ) {
    let at = start + 2;
    let length = bytes[start + 1] ?? 0;
    if (length > 0x80) {
      const end = at + (length - 0x80);
      for (length = 0; at < end; at++) length = length * 256 + (bytes[at] ?? 0);
    } else if (length === 0x80) throw new Error("a length is missing");
    values.push(bytes.slice(start, at + length));
    start = at + length;
  }
  return values;
}
