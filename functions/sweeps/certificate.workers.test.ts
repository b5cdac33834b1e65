import { expect, test } from "vitest";
import recorded from "../../test/recorded/certificates.json" with { type: "json" };
import { readCertificate } from "./certificate.ts";

test("certificates are read where no code is generated from strings", () => {
  for (const { certificate, notAfter } of recorded as { certificate: string; notAfter?: string }[]) {
    const reading = readCertificate(certificate);
    expect("notAfter" in reading ? reading.notAfter : undefined).toBe(notAfter && Date.parse(notAfter));
  }
});
