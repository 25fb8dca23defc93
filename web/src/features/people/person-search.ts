import { oneOf, text } from '../../app/search.js';

/** The parameters of the address that restrict a list of people. The first page loads them, and not what reads them. */
export const personSearch = {
  name: text,
  team: text,
  title: text,
  location: text,
  manager: text,
  role: oneOf('admin', 'manager', 'payroll', 'finance', 'auditor', 'rep'),
  fields: text,
  state: oneOf('active', 'inactive'),
};
