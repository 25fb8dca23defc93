import { z } from 'zod';
import { id18, isOpportunityId } from './crmc-ids.js';

const mostIds = 500;

const opportunityId = z.string().refine(isOpportunityId).transform(id18);
const one = z
  .union([
    z.object({ opportunityId }).transform(({ opportunityId: id }) => id),
    z.object({ Id: opportunityId }).transform(({ Id: id }) => id),
    z.object({ id: opportunityId }).transform(({ id }) => id),
    z.object({ recordId: opportunityId }).transform(({ recordId: id }) => id),
  ])
  .transform((id) => [id]);
const delivery = z.union([
  one,
  z
    .array(one)
    .min(1)
    .max(mostIds)
    .transform((all) => all.flat()),
  z.object({ ids: z.array(opportunityId).min(1).max(mostIds) }).transform(({ ids }) => ids),
]);

/**
 * The deals that a Flow of crm-c says have changed, each once, in the form of 18 characters; null when the body names
 * none. Admins build these Flows themselves, so the usual names of an id are all understood. Nothing but ids is
 * read: what a deal says is asked of the CRM.
 */
export function readCrmcDelivery(json: unknown): string[] | null {
  const parsed = delivery.safeParse(json);
  return parsed.success ? [...new Set(parsed.data)] : null;
}
