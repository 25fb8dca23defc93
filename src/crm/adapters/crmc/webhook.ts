import { z } from 'zod';
import { id18, isOpportunityId } from '../../../kernel/opportunity-id.js';

const maxIds = 500;
/** The names under which Flows send the id, in order of precedence. */
const idNames = ['opportunityid', 'id', 'recordid'];
const listNames = ['ids', 'opportunityids', 'recordids'];

const opportunityId = z.string().refine(isOpportunityId).transform(id18);
const opportunityIds = z.array(opportunityId).min(1).max(maxIds);
const record = z.record(z.string(), z.unknown());

/**
 * The deals that a Flow of crm-c says have changed, each once, in the form of 18 characters; null when the body names
 * none. Admins build these Flows themselves: names of fields count without case and underscores, so `opportunityId`,
 * the CRM's own `Id` and `OpportunityId` are all accepted. Only ids are read; the fields of a deal are requested from
 * the CRM.
 */
export function readCrmcDelivery(json: unknown): string[] | null {
  if (!Array.isArray(json)) return readOpportunityIds(json);
  if (json.length === 0 || json.length > maxIds) return null;
  const all = json.map(readId);
  return all.includes(null) ? null : [...new Set(all as string[])];
}

function readOpportunityIds(json: unknown): string[] | null {
  const id = readId(json);
  if (id !== null) return [id];
  const ids = firstValid(opportunityIds, json, listNames);
  return ids === null ? null : [...new Set(ids)];
}

function readId(json: unknown): string | null {
  return firstValid(opportunityId, json, idNames);
}

/** The first of the names whose value is valid. */
function firstValid<T>(schema: z.ZodType<T>, json: unknown, names: readonly string[]): T | null {
  const parsed = record.safeParse(json);
  if (!parsed.success) return null;
  const byName = new Map(
    Object.entries(parsed.data).map(([name, value]) => [name.replaceAll('_', '').toLowerCase(), value]),
  );
  for (const name of names) {
    const value = schema.safeParse(byName.get(name));
    if (value.success) return value.data;
  }
  return null;
}
