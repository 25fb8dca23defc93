import { z } from 'zod';
import { roles } from '../../kernel/caller.js';
import { commaList, text, uuid } from '../../platform/operations/schemas.js';

/** The values of the people that are meant; texts are compared without regard to case. */
const shape = {
  title: text(200).optional().describe('Only people with this job title, in any case'),
  team: text(200).optional().describe('Only people of this team, in any case'),
  location: text(200).optional().describe('Only people in this location, in any case'),
  managerId: uuid.optional().describe('Only people whom this manager manages today (UUID)'),
  role: z.enum(roles).optional().describe('Only people with this role'),
};

const fields = z.record(z.string().max(100), z.union([text(200), z.number()]));

export const personFilter = z
  .strictObject({
    ...shape,
    active: z.boolean().optional().describe('true: only people who may sign in; false: only the others'),
    fields: fields.optional().describe('Only people with these values of the fields that the workspace defines'),
  })
  .describe('Which people are meant: those with all of the values');
export type PersonFilter = z.infer<typeof personFilter>;

export const idsQuery = commaList(uuid, 200)
  .optional()
  .describe('Only the people with these ids (UUID), separated by commas, at most 200');

export const wordsQuery = text(200)
  .optional()
  .describe(
    'Only people of whom each word is part of the name, e-mail address, manager, role, title, team, location or a value of a field that the workspace defines, in any case and with any accents',
  );

/** The filter in query parameters, in which the values of fields are one JSON object. */
export const personFilterQuery = {
  ...shape,
  fields: text(2000)
    .transform((json, context) => {
      const read = fields.safeParse(readJson(json));
      if (read.success) return read.data;
      context.addIssue({ code: 'custom', message: 'must be a JSON object such as {"region":"DACH"}' });
      return z.NEVER;
    })
    .optional()
    .describe(
      'Only people with these values of the fields that the workspace defines: a JSON object such as {"region":"DACH"}',
    ),
};

function readJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
