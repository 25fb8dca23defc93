import { z } from 'zod';

/** A rep's id in a query parameter. Text that is not a UUID is accepted here and results in rep_not_found. */
export const resolveRepId = z.string().trim().min(1, 'must not be empty').max(200).toLowerCase();
