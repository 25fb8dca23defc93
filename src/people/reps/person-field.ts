import { z } from 'zod';
import { type PersonField } from '../../access/workspaces/workspace-tables.js';
import { comparableText } from '../../kernel/comparable-text.js';
import { isDay } from '../../kernel/day.js';
import { type Issue, rejectAny } from '../../kernel/failure.js';
import { isStorable } from '../../platform/database/columns.js';
import { text } from '../../platform/operations/schemas.js';

export type { PersonField };

const personFieldTypes = ['text', 'number', 'date', 'select'] as const satisfies readonly PersonField['type'][];

/** The fields that every person has; a field of the workspace cannot take their names. */
const builtIn = new Set(
  'id email name role active payrollid crmmemberid manager managerid manageremail managerfrom title team location hiredate enddate paycurrency paycurrencyfrom recovery fields'.split(
    ' ',
  ),
);

const slug = z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, 'must be 1 to 50 of a-z, 0-9 and _, and begin with a letter');

export const personField = z
  .strictObject({
    slug: slug
      .refine((name) => !builtIn.has(name.replaceAll('_', '')), 'is the name of a field that every person has')
      .describe('Name of the field in requests and files, such as region'),
    label: text(100).describe('Name of the field for people, such as Region'),
    type: z.enum(personFieldTypes).describe('Type of the values; select: one of options'),
    options: z.array(text(200)).min(1).max(200).optional().describe('The values of a select field; only with select'),
    crmField: text(200)
      .regex(/^[A-Za-z]\w*$/, 'must be the name of the field in the API of the CRM, such as Division or hs_job_title')
      .optional()
      .describe(
        'Field in the CRM that fills in a missing value at each sync: of users in crm-b and crm-c, of the person with the same address in crm-a; absent for none',
      ),
    dated: z
      .literal(true)
      .optional()
      .describe(
        'true: values have days and are set with PUT /v1/reps/:repId/fields/:slug, so that rate tables may read them as rep.<slug>. A value that a person has holds from the beginning',
      ),
  })
  .describe('A field of people that the workspace defines');

export type FieldValue = string | number;
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** The values of a request: absent fields stay, null removes a value. */
export const fieldValues = z
  .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.null()]))
  .describe('Values of the fields that the workspace defines (GET /v1/person-fields), by slug; null for none');
type SentValues = z.infer<typeof fieldValues>;

/** The definitions, each with its own slug and label, and with options exactly if it is a select field. */
export function assertFields(fields: readonly PersonField[]): void {
  const seen = new Set<string>();
  rejectAny(
    fields.flatMap(({ slug: name, label, type, options, crmField, dated }, index): Issue[] => {
      const issues: Issue[] = [];
      if (seen.has(name)) issues.push({ path: `fields.${index}.slug`, message: `${name} is defined more than once` });
      if (seen.has(`label ${comparableText(label)}`))
        issues.push({ path: `fields.${index}.label`, message: `${label} is the label of another field` });
      if (dated === true && crmField !== undefined)
        issues.push({ path: `fields.${index}.crmField`, message: 'cannot fill in values with days' });
      if ((type === 'select') !== (options !== undefined))
        issues.push({ path: `fields.${index}.options`, message: 'are the values of a select field, which needs them' });
      if (new Set(options?.map(comparableText)).size !== (options?.length ?? 0))
        issues.push({ path: `fields.${index}.options`, message: 'must differ from each other' });
      seen.add(name).add(`label ${comparableText(label)}`);
      return issues;
    }),
  );
}

/** The value as it is stored, or what is wrong with it. */
export function readFieldValue(field: PersonField, value: FieldValue): { value: FieldValue } | { problem: string } {
  const written = typeof value === 'number' ? String(value) : value.trim();
  switch (field.type) {
    case 'number': {
      const value = Number(written);
      if (!/^-?\d{1,15}(\.\d{1,6})?$/.test(written)) return { problem: `${written.slice(0, 50)} is not a number` };
      return { value };
    }
    case 'date': {
      if (!isDay(written)) return { problem: `${written.slice(0, 50)} is not a day, YYYY-MM-DD` };
      return { value: written };
    }
    case 'select': {
      const value = field.options?.find((option) => comparableText(option) === comparableText(written));
      if (value !== undefined) return { value };
      return { problem: `${written.slice(0, 50)} is none of ${field.options?.slice(0, 20).join(', ') ?? ''}` };
    }
    case 'text': {
      if (written === '' || written.length > 200 || !isStorable(written))
        return { problem: 'must be a text of 1 to 200 characters; null for none' };
      return { value: written };
    }
  }
}

/** The stored values after the change. Issues have the path of the change and the slug. */
export function changedValues(
  fields: readonly PersonField[],
  sent: SentValues | undefined,
  known: FieldValues,
  path: string,
): { readonly values: FieldValues; readonly issues: readonly Issue[] } {
  if (sent === undefined) return { values: known, issues: [] };
  const values: Record<string, FieldValue> = { ...known };
  const issues: Issue[] = [];
  for (const [name, value] of Object.entries(sent)) {
    const field = fields.find((defined) => defined.slug === name);
    if (field === undefined)
      issues.push({ path: `${path}.${name}`, message: 'is not a field of people in this workspace' });
    else if (field.dated === true)
      issues.push({ path: `${path}.${name}`, message: `has days: PUT /v1/reps/:repId/fields/${name} sets its values` });
    else if (value === null) delete values[name];
    else {
      const read = readFieldValue(field, value);
      if ('value' in read) values[name] = read.value;
      else issues.push({ path: `${path}.${name}`, message: read.problem });
    }
  }
  return { values, issues };
}

export function isSameValues(a: FieldValues, b: FieldValues): boolean {
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return names.length === others.length && names.every((name) => a[name] === b[name]);
}

export const personFieldExample = {
  slug: 'region',
  label: 'Region',
  type: 'select' as const,
  options: ['DACH', 'Nordics'],
};
