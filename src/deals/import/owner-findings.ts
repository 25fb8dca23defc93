import { type Projection } from '../deal.js';
import { type DealOwners } from '../deal-owners.js';
import { type DealChange } from '../record-deals.js';

/** The owners in a file who match no rep, and the deals that the file moves to another rep or to none. */
export interface ImportOwners {
  readonly unknownOwners: { readonly owner: string; readonly rows: number }[];
  readonly rowsWithUnknownOwner: number;
  readonly rowsWithoutOwner: number;
  readonly reassigned: number;
  readonly reassignedDeals: ReassignedDeal[];
}

interface ReassignedDeal {
  readonly dealId: string;
  readonly fromRepId: string;
  readonly toRepId: string | null;
}

const maxListed = 100;

/** Collects the owners of a file while it is imported. */
export class OwnerFindings {
  private readonly unknown = new Map<string, number>();
  private rowsWithoutOwner = 0;
  private reassigned = 0;
  private readonly reassignedDeals: ReassignedDeal[] = [];

  addRow(projection: Projection, owners: DealOwners): void {
    const owner = projection.ownerId ?? projection.ownerEmail;
    if (owners.resolve(projection) !== null) return;
    if (owner === null) this.rowsWithoutOwner += 1;
    else this.unknown.set(owner, (this.unknown.get(owner) ?? 0) + 1);
  }

  addChange({ dealId, before, after }: DealChange): void {
    if (before === null || before.repId === null || before.repId === after.repId) return;
    this.reassigned += 1;
    if (this.reassignedDeals.length < maxListed)
      this.reassignedDeals.push({ dealId, fromRepId: before.repId, toRepId: after.repId });
  }

  summary(): ImportOwners {
    const unknownOwners = [...this.unknown].map(([owner, rows]) => ({ owner, rows })).sort((a, b) => b.rows - a.rows);
    return {
      unknownOwners: unknownOwners.slice(0, maxListed),
      rowsWithUnknownOwner: unknownOwners.reduce((sum, { rows }) => sum + rows, 0),
      rowsWithoutOwner: this.rowsWithoutOwner,
      reassigned: this.reassigned,
      reassignedDeals: this.reassignedDeals,
    };
  }
}
