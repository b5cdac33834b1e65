import { expect, test } from "vitest";
import recorded from "../../test/recorded/certificates.json" with { type: "json" };
import { readCertificate } from "./certificate.ts";

/** As Go's `pem.Decode` and `x509.ParseCertificates` read them; without `notAfter` where those give an error. */
test.each(recorded as { name: string; certificate: string; notAfter?: string }[])(
  "$name",
  ({ certificate, notAfter }) => {
    const reading = readCertificate(certificate);
    if (notAfter === undefined) expect(reading).toEqual({ fault: expect.stringMatching(/certificate/) });
    else expect(reading).toEqual({ notAfter: Date.parse(notAfter) });
  },
);

test("what is not base64 is no certificate", () => {
  expect(readCertificate("-----BEGIN")).toEqual({ fault: "the certificate is not PEM" });
});
