import { type z } from 'zod';
import { type repDashboard } from '../../commissions/dashboards/rep-dashboard.js';
import { type getForecast } from '../../commissions/queries/get-forecast.js';
import { type getPayCalendar } from '../../commissions/queries/get-pay-calendar.js';
import { type getUpdates } from '../../commissions/queries/get-updates.js';

type Answer<Declared extends { readonly response: z.ZodType }> = z.output<Declared['response']>;

/** What the pages of a person say about their pay. */
export interface PagesOfPerson {
  readonly dashboard: z.output<typeof repDashboard>;
  readonly updates: Answer<typeof getUpdates>;
  /** Null if it has too many outcomes to be calculated. */
  readonly forecast: Extract<Answer<typeof getForecast>, { readonly deals: unknown }> | null;
  /** Null as the forecast. It has no periods in workspaces without payouts. */
  readonly calendar: Answer<typeof getPayCalendar> | null;
}

/** Reads the pages as the person, so that nothing is in them that the person may not see. */
export type ReadPages = (workspaceId: string, repId: string, since: Date) => Promise<PagesOfPerson>;
