import { type z } from 'zod';
import { text } from '../../platform/operations/schemas.js';
import { type FieldValues, fieldValues, isSameValues } from './person-field.js';

/** What a person does and where. Lists are filtered by it; commission does not depend on it. */
export interface Profile {
  readonly title: string | null;
  readonly team: string | null;
  readonly location: string | null;
  /** Values of the fields that the workspace defines. */
  readonly fields: FieldValues;
}

export const noProfile: Profile = { title: null, team: null, location: null, fields: {} };

/** The fields of a profile in requests; those that are absent stay. */
export const profileChange = {
  title: text(200).nullable().optional().describe('Job title, such as Account Executive; null for none'),
  team: text(200).nullable().optional().describe('Name of the team; null for none'),
  location: text(200).nullable().optional().describe('Office, city or region; null for none'),
  fields: fieldValues.optional(),
};

export type ProfileChange = Partial<z.infer<z.ZodObject<typeof profileChange>>>;

/** The values of `fields` are read with the definitions of the workspace, in changedValues. */

export function changedProfile(
  { title, team, location }: ProfileChange,
  known: Profile,
  fields: FieldValues = known.fields,
): Profile {
  return {
    title: title === undefined ? known.title : title,
    team: team === undefined ? known.team : team,
    location: location === undefined ? known.location : location,
    fields,
  };
}

export function isSameProfile(a: Profile, b: Profile): boolean {
  return a.title === b.title && a.team === b.team && a.location === b.location && isSameValues(a.fields, b.fields);
}
