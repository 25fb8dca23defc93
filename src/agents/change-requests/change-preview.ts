import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { addDays, type Day, type DayRange } from '../../kernel/day.js';
import { sampleIds } from '../../kernel/sample-ids.js';

/** Reps and approved periods that a stored preview lists. */
const maxListed = 20;

/** The compared days: about the last year, and what remains of this one. */
export function comparedDays(today: Day): DayRange {
  const firstOfMonth = `${today.slice(0, 8)}01`;
  return { from: addDays(firstOfMonth, -365), to: `${today.slice(0, 4)}-12-31` };
}

const figures = {
  currency: z.string().describe('Currency of the amounts, ISO 4217 code'),
  before: z.number().describe('Commission in open periods without the change'),
  after: z.number().describe('Commission in open periods with the change'),
  delta: z.number().describe('after minus before'),
};

const repFigures = z
  .object({ repId: fields.repId, name: z.string().describe('Name of the rep'), ...figures })
  .describe('What the change moves for one rep, in one currency');

const lockedFigures = z
  .object({
    repId: fields.repId,
    name: z.string().describe('Name of the rep'),
    period: z.string().describe('The approved period'),
    currency: figures.currency,
    delta: z.number().describe('What the approved period would owe in addition; negative if it paid too much'),
  })
  .describe('An approved period that the change would concern');

/** What a requested change of a plan would do to commission. */
export const changePreview = z
  .object({
    calculatedAt: z.string().describe('When it was calculated, instant in ISO 8601'),
    from: z.string().describe('First day whose commission is compared, YYYY-MM-DD'),
    to: z.string().describe('Last day whose commission is compared, YYYY-MM-DD'),
    ...figures,
    otherCurrencies: z
      .array(z.object(figures).describe('The totals in one currency'))
      .describe('The totals in currencies other than `currency`; empty in most cases'),
    deals: z.int().describe('Number of deals that move'),
    reps: z.int().describe('Number of reps whose commission moves'),
    byRep: z
      .array(repFigures)
      .describe(`The reps whose commission moves most, largest change first, at most ${maxListed}`),
    locked: z
      .array(lockedFigures)
      .describe(`What approved periods would owe, largest first, at most ${maxListed}. They do not change`),
    testsPassed: z.boolean().optional().describe('Whether the tests of the version pass; absent if it has none'),
  })
  .describe('What the change would do to commission');
type ChangePreview = z.input<typeof changePreview>;

/** The stored form has no names: they are read with the response. */
export interface StoredPreview extends Omit<ChangePreview, 'byRep' | 'locked'> {
  readonly byRep: readonly Omit<ChangePreview['byRep'][number], 'name'>[];
  readonly locked: readonly Omit<ChangePreview['locked'][number], 'name'>[];
}

/** The answer of the preview of a plan change, as far as it is stored. */
export interface PreviewResponse extends Omit<ChangePreview, 'calculatedAt' | 'from' | 'to' | 'deals' | 'reps'> {
  readonly status: string;
  readonly finishedAt?: string;
  readonly count: number;
}

/** Null while the preview is calculated. */
export function toStoredPreview(response: PreviewResponse, days: DayRange): StoredPreview | null {
  const { status, finishedAt, currency, before, after, delta, otherCurrencies, locked, count, testsPassed } = response;
  if (status !== 'completed' || finishedAt === undefined) return null;
  const moved = movedFigures(response);
  return {
    calculatedAt: finishedAt,
    ...days,
    ...{ currency, before, after, delta, otherCurrencies },
    deals: count,
    reps: new Set(moved.map(({ repId }) => repId)).size,
    byRep: moved.slice(0, maxListed).map(({ name: _, ...rest }) => rest),
    locked: locked.slice(0, maxListed).map(({ name: _, ...rest }) => rest),
    ...(testsPassed === undefined ? {} : { testsPassed }),
  };
}

export function movedFigures({ byRep }: Pick<PreviewResponse, 'byRep'>): PreviewResponse['byRep'] {
  return byRep.filter(({ delta }) => delta !== 0);
}

/** Whether both show the same amounts, whenever they were calculated. */
export function showSameFigures(a: StoredPreview | null, b: StoredPreview | null): boolean {
  const toFigures = (preview: StoredPreview | null) => preview && { ...preview, calculatedAt: null };
  return isDeepStrictEqual(toFigures(a), toFigures(b));
}

export function withNames(
  { byRep, locked, ...same }: StoredPreview,
  findName: (repId: string) => string,
): ChangePreview {
  return {
    ...same,
    byRep: byRep.map(({ repId, ...rest }) => ({ repId, name: findName(repId), ...rest })),
    locked: locked.map(({ repId, ...rest }) => ({ repId, name: findName(repId), ...rest })),
  };
}

export const changePreviewExample: ChangePreview = {
  calculatedAt: '2026-02-11T08:30:00.000Z',
  from: '2025-02-01',
  to: '2026-12-31',
  currency: 'USD',
  before: 1000,
  after: 1200,
  delta: 200,
  otherCurrencies: [],
  deals: 1,
  reps: 1,
  byRep: [{ repId: sampleIds.repId, name: 'Ben', currency: 'USD', before: 1000, after: 1200, delta: 200 }],
  locked: [],
};
