import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Subject } from '../../platform/operations/operation.js';
import { findRepsBy } from './rep-store.js';
import { type Person } from './upsert-people.js';

/** A change of people: their CRM member ids decide which deals pay them, and their payroll ids where the pay goes. */
export async function peopleSubject(tx: Transaction, people: readonly Person[]): Promise<Subject> {
  const emails = people.map(({ email }) => email);
  const stored = await findRepsBy(tx, emails, []);
  const byAddress = (a: { readonly email: string }, b: { readonly email: string }) => (a.email < b.email ? -1 : 1);
  return { paid: stored.map(({ repId }) => repId), state: stored.sort(byAddress) };
}
