import { type SignIn } from '../../access/auth/sign-in.js';
import { findSignIns } from '../../access/auth/sign-in-views.js';
import { type OtherDatabases } from '../../access/auth/sign-ins.js';
import { type OtherCustomers } from '../../billing/billing-intake.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Secrets } from '../../platform/secrets/secrets.js';
import { emailKey, routeKey } from './key.js';
import { type Shard } from './shard.js';
import { type Shards } from './shards.js';

/** The workspaces of the other databases, for the parts of one. */
export class OtherShards implements OtherDatabases, OtherCustomers {
  constructor(
    private readonly own: Shard,
    private readonly shards: Shards,
  ) {}

  /** Those of a database that does not respond are left out: the person signs in to the others. */
  async find(email: string, workspaceId: string | null): Promise<readonly SignIn[]> {
    const { places } = await this.shards.locate(emailKey(this.own.service.parts.resolve(Secrets), email));
    const names = new Set(places.filter(({ isMoving }) => !isMoving).map(({ shard }) => shard));
    const others = this.shards.all.filter((shard) => shard !== this.own && shard.isServing && names.has(shard.name));
    const found = await mapInParallel(others, async ({ name, service }) => {
      const signIns = await service.unitOfWork.withoutWorkspace((tx) => findSignIns(tx, email, workspaceId));
      const listed = await mapInParallel(signIns, (signIn) => this.shards.place(signIn.workspaceId));
      return signIns.filter((_, index) => (listed[index] ?? { shard: name }).shard === name);
    });
    return found.flat();
  }

  async unitOfWorkOf(workspaceId: string): Promise<UnitOfWork | null> {
    const place = await this.shards.place(workspaceId);
    const shard = place === null ? null : this.shards.named(place.shard);
    return shard === null || shard === this.own ? null : shard.service.unitOfWork;
  }

  async isOf({ customerId, workspaceId }: { readonly customerId: string; readonly workspaceId: string | null }) {
    if (workspaceId !== null && (await this.unitOfWorkOf(workspaceId)) !== null) return true;
    const { places } = await this.shards.locate(routeKey({ source: 'billing', route: customerId }));
    return places.some(({ shard }) => shard !== this.own.name);
  }
}
