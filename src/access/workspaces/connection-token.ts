import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';

/** A token for an embedded widget: it reads a few resources of the workspace and belongs to no person. */
export const connectionToken = z
  .object({
    id: z.string().describe('Id of the token (UUID)'),
    label: z.string().nullable().describe('Name of the token; null for none'),
    createdAt: fields.createdAt,
    lastUsedAt: z.string().nullable().describe('When the token was last used, instant in ISO 8601; null for never'),
  })
  .describe('A token for an embedded CRM widget');
export type ConnectionToken = z.input<typeof connectionToken>;

export const connectionTokenExample = {
  id: '4d5e6f7a-8b9c-4d1e-8f3a-4b5c6d7e8f9a',
  label: 'CRM widget',
  createdAt: '2026-02-11T08:30:00.000Z',
};
