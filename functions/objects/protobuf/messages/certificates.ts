import type { MessageTable } from "../message-table.ts";

/** The messages of `certificates.k8s.io`, as Kubernetes 1.33.1 has them. */
export const certificatesMessages: MessageTable = {
  "certificates.k8s.io/v1": {
    CertificateSigningRequest: {
      1: "metadata meta.k8s.io/v1.ObjectMeta",
      2: "spec CertificateSigningRequestSpec!",
      3: "status CertificateSigningRequestStatus",
    },
    CertificateSigningRequestCondition: {
      1: "type string!",
      2: "reason string",
      3: "message string",
      4: "lastUpdateTime Time",
      5: "lastTransitionTime Time",
      6: "status string!",
    },
    CertificateSigningRequestSpec: {
      1: "request bytes",
      2: "username string",
      3: "uid string",
      4: "groups []string",
      5: "usages []string",
      6: "extra map ExtraValue",
      7: "signerName string!",
      8: "expirationSeconds int32!",
    },
    CertificateSigningRequestStatus: {
      1: "conditions []CertificateSigningRequestCondition",
      2: "certificate bytes",
    },
    ExtraValue: { 1: "= []string" },
  },
};
