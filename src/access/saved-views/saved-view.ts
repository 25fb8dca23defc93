import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { text } from '../../platform/operations/schemas.js';

/** A list of the web app with its filters. */
const savedView = z
  .strictObject({
    page: z
      .string()
      .max(100)
      .regex(/^\/[a-z-]+$/, 'must be the path of a page, such as /members')
      .describe('Path of the page in the web app, such as /members'),
    name: text(60).describe('Name of the view, which no other view of the page has'),
    search: z
      .string()
      .max(2000)
      .regex(/^(\?[\x21-\x7e]*)?$/, 'must be empty, or begin with ? and be encoded')
      .describe('Search part of the address, with the filters, such as ?team=North'),
  })
  .describe('A saved view of a list');
export type SavedView = z.infer<typeof savedView>;

export const savedViews = z.array(savedView).max(100);

export function requirePerson({ repId }: Caller): string {
  if (repId === null) throw new Failure('no_person', 'Only people save views. Sign in to save yours.');
  return repId;
}

export const savedViewExample = { page: '/members', name: 'AEs of North', search: '?team=North&title=AE' };
