import { type DealLine } from '../engine/deal-line.js';
import { type Corrections } from './corrections.js';
import { type DealContent, type ReadContent } from './deal.js';
import { type ReportedLine } from './reported-lines.js';

/** A deal as the API, a file or a CRM reports it. */
export interface IncomingDeal extends ReadContent {
  readonly dealId: string;
  readonly sourceUpdatedAt: Date | null;
  /** The CRM that reported the deal; null for the API and for files. */
  readonly provider: string | null;
  /** When the deal was read from the CRM; absent for deals that were sent to the service. */
  readonly fetchedAt?: Date;
  /** All credit lines of the CRM; absent if it did not report them. */
  readonly lines?: readonly ReportedLine[];
  /** All products that the CRM reports; absent if it did not. */
  readonly products?: readonly DealLine[];
  /** The part that the source states; absent if it states the whole deal. */
  readonly stated?: DealContent;
  /**
   * What happens to values that a person has corrected: by default they stay. `replace`: the deal replaces those that it
   * states otherwise. `by`: the actor corrects the values that change. `restored`: the deal and its corrections are stored
   * as given.
   */
  readonly corrections?: 'replace' | { readonly by: string } | { readonly restored: Corrections | null };
}
