import { z } from 'zod';
import { calendarNames, kindOfPeriod } from '../../kernel/period-calendar.js';
import { isTimeZone } from '../../kernel/time-zone.js';
import { day, percentage } from '../../platform/operations/schemas.js';

/** An IANA time zone; `acceptTimeZone` decides whether a workspace may have it. */
export const timeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
  .describe('IANA time zone, such as Europe/Berlin');

/** The masked API key; the key itself is never shown again. */
export const maskedKey = z
  .object({
    masked: z.string().nullable().describe('The key with all but its prefix hidden; null if none is set'),
    isSet: z.boolean().describe('Whether a key is set'),
  })
  .describe('The API key without its secret part');

/** The same for every key: no part of the key is stored. */
export const keyMask = `ws_${'*'.repeat(32)}`;

/** Whether mails leave the service. */
export const mailState = z
  .enum(['not_set_up', 'working', 'failing'])
  .describe(
    'Whether mails are sent: not_set_up without a mail server, when no sign-in code and no invitation is sent; failing if the last attempt of the workspace did not succeed',
  );

/** Whom managers see: everyone in the workspace, or themselves and the people below them. */
export const managerScope = z
  .enum(['workspace', 'reports'])
  .describe('Whom managers see: workspace is everyone, reports the people below them');

/** What happens when an agent calls a tool that changes something. */
export const agentWrites = z
  .enum(['allow', 'confirm', 'deny'])
  .nullable()
  .describe(
    'Changes by agents: allow runs them, confirm makes each a change request that a person decides about, deny rejects them. Null: confirm for agents that people connected, allow for keys',
  );

export const blockApprovalOnDispute = z
  .boolean()
  .describe('Whether a statement with an open dispute cannot be approved');

export const stepUpMinutes = z
  .int()
  .min(1)
  .max(1440)
  .nullable()
  .describe(
    'For new keys, changes of roles, payroll files and hand-overs, a session needs a sign-in or a confirmation that is at most so many minutes old; null: any age',
  );

export const minQuotaPercent = percentage(1, 100).describe(
  'Percentage of a prorated quota that remains at least, however few days count; 25 by default',
);

export const defaultFxMaxAgeDays = 45;
export const fxMaxAgeDays = z
  .int()
  .min(0)
  .max(3660)
  .nullable()
  .describe('Days after which an exchange rate is too old to convert a deal; null: no limit; 45 by default');

export const paper = z.enum(['A4', 'Letter']).describe('Paper size of PDF files');

/** The periods in which people are paid, and from when on. */
export const payouts = z
  .strictObject({
    enabled: z.boolean().describe('Whether statements show what is payable beside what is earned'),
    from: day.optional().describe('First day of the first pay period, YYYY-MM-DD; required to enable payouts'),
    period: z.enum(['monthly', 'quarterly']).optional().describe('Length of a pay period; monthly by default'),
    calendar: z.enum(calendarNames).optional().describe('Calendar of the pay periods; calendar by default'),
  })
  .describe('Payouts: pay periods, and from when on statements pay what customers have paid');
export type Payouts = z.output<typeof payouts>;

/** A share of what a statement releases. */
export const recovery = z
  .strictObject({
    maxPercent: z
      .number()
      .min(0)
      .max(100)
      .refine((percent) => Number(percent.toFixed(6)) === percent, 'must have at most 6 decimals')
      .describe('Share of what a statement releases that it may keep, in percent'),
  })
  .describe('How much a statement may keep to take back what a person owes');

/** Which exchange rate pays people who are paid in another currency than they earn in. */
export const payFx = z
  .strictObject({
    date: z
      .enum(['period_end', 'approved_on'])
      .describe('Day of the rate: the last day of the statement, or the day on which it is approved'),
    table: z.string().trim().min(1).max(50).optional().describe('Table of rates; `default` by default'),
  })
  .describe('Which exchange rate pays what is payable in another currency; that of the last day by default');
export type PayFx = z.output<typeof payFx>;

/** Whether the workspace keeps books of commission. */
export const accounting = z
  .strictObject({
    enabled: z.boolean().describe('Whether books are kept: liability, closed months and journals'),
    from: z
      .string()
      .refine((text) => kindOfPeriod(text) === 'monthly', 'must be a month, YYYY-MM or FYYYYY-PNN')
      .optional()
      .describe(
        'First month of the books, YYYY-MM; required to turn accounting on. With a period of a fiscal year, FYYYYY-PNN, all months of the books are such periods',
      ),
    secondPerson: z
      .boolean()
      .optional()
      .describe('Whether a month is closed by another person than the one who prepared it; true by default'),
  })
  .describe('Accounting: the books of commission, month by month');
export type Accounting = z.output<typeof accounting>;

export const testDay = day.describe('The day that counts as today in a sandbox, YYYY-MM-DD');

const code = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9 _-]{1,30}$/, 'must be 1 to 30 letters, digits, spaces, dashes or underscores');

/** The payroll system's codes for the company and for kinds of earnings. */
export const payrollTerms = z
  .strictObject({
    companyCode: z
      .string()
      .regex(/^[A-Za-z0-9]{3}$/, 'must be three letters or digits')
      .optional()
      .describe('Company code in the payroll system, three letters or digits'),
    batchId: code.optional().describe('Batch id of payroll files'),
    earningCodes: z
      .strictObject({
        commission: code.optional().describe('Earning code of commission'),
        bonus: code.optional().describe('Earning code of bonuses'),
        adjustment: code.optional().describe('Earning code of adjustments'),
      })
      .optional()
      .describe('Earning code of each kind of amount'),
  })
  .describe('Codes of payroll files');
