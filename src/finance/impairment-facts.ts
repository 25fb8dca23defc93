import { storedFacts } from '../platform/files/stored-facts.js';
import { type ImpairmentTest, impairmentTerms } from './impairment.js';

export const impairmentFacts = storedFacts<ImpairmentTest>({
  table: 'accounting_facts',
  fixed: { kind: 'impairment' },
  key: { dealId: ['deal_id', 'text'], month: ['name', 'text'] },
  terms: impairmentTerms.keyof().options,
});
