import { z } from 'zod';
import { creditKinds } from '../../engine/credit-lines.js';
import { creditRole } from '../../engine/plan-config.js';
import { day, text } from '../../platform/operations/schemas.js';
import { standardLineValue } from './line-mapping.js';

const names = z.array(text(200)).max(200).default([]);
const slug = text(500);

const target = z.string().regex(/^[\w-]{1,200}$/, 'must be the name of a field in the CRM');
const optionalTarget = target.nullable().default(null);
const writeBack = z
  .strictObject({
    commission: target.describe('Field of type number for the commission of the owner of the deal'),
    commissionTotal: optionalTarget.describe(
      'Field of type number for what everyone earns on the deal, managers and others with credit included; null for none',
    ),
    state: optionalTarget.describe('Field of type text for Earned, Approved or Reversed; null for none'),
    currency: optionalTarget.describe('Field of type text for the currency of the commission; null for none'),
    attainment: optionalTarget.describe(
      'Field of type number for the attainment of the quota, in percent, that the deal has reached; null for none',
    ),
  })
  .refine((fields) => areDistinct(Object.values(fields)), 'must name a different field for each value');

function areDistinct(names: readonly (string | null)[]): boolean {
  const named = names.filter((name) => name !== null);
  return new Set(named).size === named.length;
}

const splitType = z.union([
  z.enum(creditKinds).describe('split: a part of the deal; overlay: a credit in addition to the splits'),
  z
    .strictObject({
      kind: z.enum(creditKinds).describe('split: a part of the deal; overlay: a credit in addition to the splits'),
      role: creditRole.describe('What people with splits of this type do on the deal, such as SE'),
    })
    .describe('The kind, and the role of the people'),
]);

const credits = z.strictObject({
  types: z
    .record(text(200), splitType)
    .refine((types) => Object.keys(types).length <= 50, 'must contain at most 50 types')
    .default({})
    .describe(
      'Names of the types of splits that are read, each with what its splits are: "split", "overlay", or {kind, role}. Empty: of crm-c Revenue as split and Overlay as overlay; crm-b has one type, Deal splits',
    ),
});

const lines = z.strictObject({
  fields: z
    .record(text(200), text(200))
    .refine((fields) => Object.keys(fields).length <= 50, 'must contain at most 50 fields')
    .refine(
      (fields) => !Object.keys(fields).some((name) => standardLineValue(name) === 'lineId'),
      'cannot map the id of lines: it is that of the line item',
    )
    .default({})
    .describe(
      'Names of values of lines, such as family, or slugs of further ones, each with the name of the field of line items in the CRM',
    ),
  reference: text(200)
    .optional()
    .describe(
      'Only of crm-a, which has no line items: slug of the attribute of deals that refers to records, each of which becomes a line. fields must map amount',
    ),
});

/** Which people, deals and fields of one CRM are read, and what is written. The defaults read everything that every deal has. */
export const crmSettings = z.strictObject({
  people: z
    .strictObject({
      teams: names.describe('Names of teams; of crm-c, departments'),
      roles: names.describe('Names of roles; of crm-c, roles and profiles'),
      emails: names.describe('E-mail addresses, in any case'),
    })
    .refine((people) => Object.values(people).some((list) => list.length > 0), 'must name a team, a role or an address')
    .nullable()
    .default(null)
    .describe('Only these CRM users become reps: those who match one of the lists; null for everyone'),
  deals: z
    .strictObject({
      closedFrom: day
        .nullable()
        .default(null)
        .describe('Only deals that close on this day or later, or have no close date'),
      pipelines: names.describe('Only deals of these pipelines, by id or name; empty for all. Of crm-c, record types'),
    })
    .default({ closedFrom: null, pipelines: [] })
    .describe('Which deals are imported. Others are treated as if the CRM did not have them'),
  fields: z
    .record(slug, slug)
    .refine((fields) => Object.keys(fields).length <= 200, 'must contain at most 200 fields')
    .default({})
    .describe('Slugs that plans and the field mapping use, each with the slug of this CRM whose value it gets'),
  lineItems: z
    .boolean()
    .default(false)
    .describe('Whether deals get line_items_count, line_items_sum and line_items_products (crm-b and crm-c)'),
  companyFields: z
    .array(slug)
    .max(20)
    .overwrite((fields) => [...new Set(fields)])
    .default([])
    .describe("The CRM's names of fields of the associated company or account; deals get them as company_…"),
  credits: credits
    .nullable()
    .default(null)
    .describe(
      'Which splits of the CRM become credit lines of deals (crm-b and crm-c); null for none. Lines of the API take precedence',
    ),
  lines: lines
    .nullable()
    .default(null)
    .describe(
      'Whether line items, or of crm-a records to which deals refer, become the lines of deals; null for none. Lines of the API count in place of them',
    ),
  writeBack: writeBack
    .nullable()
    .default(null)
    .describe('Fields of the CRM into which commission is written, by the names of the CRM; null writes nothing'),
});
export type CrmSettings = z.output<typeof crmSettings>;

export const defaultSettings: CrmSettings = crmSettings.parse({});

export const settingsExample = {
  people: { teams: ['Sales'], roles: [], emails: [] },
  deals: { closedFrom: '2026-01-01', pipelines: ['Sales Pipeline'] },
  fields: { arr: 'hs_arr' },
  lineItems: true,
  companyFields: ['industry'],
  credits: { types: { Revenue: 'split', Overlay: { kind: 'overlay', role: 'SE' } } },
  lines: { fields: { family: 'hs_product_type' } },
  writeBack: {
    commission: 'commission',
    commissionTotal: null,
    state: 'commission_state',
    currency: null,
    attainment: null,
  },
};
