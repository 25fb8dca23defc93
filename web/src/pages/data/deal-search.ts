import { type DealFilter } from '../../api/queries.js';

/** Kinds of deals, with their words and their filter. */
export const dealShows = {
  won: ['Won', { isWon: 'true' }],
  open: ['Not won', { isWon: 'false' }],
  unowned: ['Without a person', { unowned: 'true' }],
  unpaid: ['Paid nothing', { paid: 'false', isWon: 'true' }],
  deleted: ['Deleted', { deleted: 'true' }],
} as const satisfies Readonly<Record<string, readonly [words: string, filter: DealFilter]>>;
type DealShow = keyof typeof dealShows;

/** The filters of the list of deals, which are in its address. */
export interface DealSearch {
  readonly query?: string;
  readonly repId?: string;
  readonly stage?: string;
  readonly from?: string;
  readonly to?: string;
  readonly show?: DealShow;
  /** The first page is 0. */
  readonly page?: number;
}

export function isDealShow(value: unknown): value is DealShow {
  return typeof value === 'string' && Object.hasOwn(dealShows, value);
}
