import type { Listing, NodeReport } from "./report.ts";
import type { ReportBody } from "./report-body.ts";

/** Listings that are the same as in the last report, by the name of their part. */
export type KnownListings = Readonly<Record<string, Listing<unknown> | undefined>>;

/** A smaller part is read faster than it is looked up. */
const LARGE = 100_000;

/** The parts that are listings, and where a report holds them. */
const LISTINGS = { images: "images", containers: "containers", pods: "sandboxes" } as const;
type ListingPart = keyof typeof LISTINGS;

/**
 * What the large listings of the last report held. crictl prints the same text as long as nothing has changed, and on a
 * large node reading it is most of the work of a report.
 */
export class ListingMemory {
  #known = new Map<string, { digest: string; listing: Listing<unknown> }>();

  /** Which listings of a report need not be read, and what is to be told when it was. */
  async recall(body: ReportBody): Promise<{ known: KnownListings; remember: (report: NodeReport) => void }> {
    const known: Record<string, Listing<unknown>> = {};
    const digests = new Map<ListingPart, string>();
    for (const part of Object.keys(LISTINGS) as ListingPart[]) {
      const content = body.get(part);
      if (content === undefined || typeof content === "string" || content.length < LARGE) continue;
      const digest = String(new BigUint64Array(await crypto.subtle.digest("SHA-256", content)));
      digests.set(part, digest);
      const before = this.#known.get(part);
      if (before?.digest === digest) known[part] = before.listing;
    }
    return { known, remember: (report) => this.#remember(report, digests) };
  }

  /** One with faults is read again, so that they are told again. */
  #remember(report: NodeReport, digests: ReadonlyMap<ListingPart, string>): void {
    this.#known.clear();
    for (const [part, digest] of digests) {
      const listing = report[LISTINGS[part]];
      if (listing?.complete) this.#known.set(part, { digest, listing });
    }
  }
}
