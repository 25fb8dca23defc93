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
  /** A field by its slug, and the value that it must have. */
  readonly field?: string;
  readonly value?: string;
  readonly from?: string;
  readonly to?: string;
  readonly show?: DealShow;
  /** The first page is 0. */
  readonly page?: number;
}

export function isDealShow(value: unknown): value is DealShow {
  return typeof value === 'string' && Object.hasOwn(dealShows, value);
}

/** The filter of a page of the list. A field without a value filters nothing; scores have a separate page. */
export function toDealFilter(search: DealSearch, pageSize: number): DealFilter {
  const { query, repId, stage, field, value, from, to, show, page = 0 } = search;
  return {
    query,
    repId,
    stage,
    ...(field === undefined || value === undefined ? {} : { field, value }),
    closedFrom: from,
    closedTo: to,
    scores: 'false',
    ...(show === undefined ? {} : dealShows[show][1]),
    totals: 'true',
    limit: String(pageSize),
    offset: String(page * pageSize),
  };
}
