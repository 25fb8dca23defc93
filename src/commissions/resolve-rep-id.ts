import { z } from 'zod';

/** A rep's id in a query. One that no rep can have is a well-formed question about nobody. */
export const resolveRepId = z.string().trim().min(1, 'must not be empty').max(200).toLowerCase();
