import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { currency, day, percentage, text } from '../platform/operations/schemas.js';
import { accountRoles } from './accounts.js';
import { frameworks } from './keep-books.js';
import { type StoredEntity } from './settings-views.js';

const account = z
  .strictObject({
    number: text(50).describe('Number of the account'),
    name: text(200).describe('Name of the account'),
  })
  .describe('An account in the books of the entity');

export const entityCode = z
  .string()
  .regex(/^[a-z0-9_-]{1,30}$/, 'must be 1 to 30 of a-z, 0-9, _ and -')
  .describe('Code of an entity, such as main');

const entityTerms = {
  name: text(200).describe('Name of the entity'),
  framework: z
    .enum(frameworks)
    .default('us_gaap')
    .describe('Standard of its accounts. Under ifrs and frs102 an impairment is reversed if a later test says so'),
  payrollTax: z
    .array(
      z
        .strictObject({
          from: day.describe('First day of the percentage, YYYY-MM-DD'),
          percent: percentage(0, 100).describe("Employer's payroll tax in percent of what is owed"),
        })
        .describe('A percentage from a day on'),
    )
    .max(100)
    .describe("Employer's payroll tax on what is owed; none for no tax"),
  accounts: z
    .partialRecord(z.enum(accountRoles), account)
    .describe('The account of each role. A role without one stops the export of journals'),
};

/** What a request says of an entity: its currency when it is new. */
export const entityBody = {
  ...entityTerms,
  currency: currency
    .optional()
    .describe('Currency of its books, ISO 4217 code, which never changes; that of main by default'),
};

export const entity = z
  .object({
    code: entityCode,
    currency: fields.currency,
    ...entityTerms,
  })
  .describe('A company whose books are kept');

export function toEntityResponse({ payrollTax, ...stored }: StoredEntity): z.input<typeof entity> {
  return { ...stored, payrollTax: payrollTax.map(({ from, percent }) => ({ from, percent: Number(percent) })) };
}

export const entityExample = {
  code: 'main',
  name: 'Acme Inc.',
  currency: 'USD',
  framework: 'us_gaap',
  payrollTax: [{ from: '2026-01-01', percent: 7.65 }],
  accounts: { accrued_commission: { number: '2110', name: 'Accrued commission' } },
} as const;
