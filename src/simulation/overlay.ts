import { type Rankings } from '../ledger/input/load-window.js';
import { type RepTerms } from '../ledger/input/rep-terms.js';

/** What a calculation in memory assumes in place of what is stored. */
export interface Overlay {
  terms(stored: RepTerms): RepTerms;
  rankings(stored: Rankings): Rankings;
}

export const asStored: Overlay = { terms: (stored) => stored, rankings: (stored) => stored };
