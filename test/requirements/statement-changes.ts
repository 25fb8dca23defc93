import { expect } from 'chai';
import { adminOnly, forbidden, invalid, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { expectError, unknownId, World } from './world.js';

const statementOf = (world: World) => world.get(`/v1/statements?repId=${world.ids.ben}&period=2026-Q1`);
const adjustPath = (world: World, id?: string) =>
  `/v1/statements/${world.ids.ben}/adjust${id === undefined ? '' : `/${id}`}`;

/** Adjustments and clawbacks of a draft. */
export function describeAdjustments(): void {
  describe('adjustments', () => {
    let world: World;
    let added: Json;
    const body = { amount: 250, reason: 'Spiff', period: '2026-Q1' };

    before(async () => {
      ({ world } = await World.example());
    });

    row(515, 'POST adjust adds an adjustment of amount, reason and period', async () => {
      added = await world.admin.expect(200, 'POST', adjustPath(world), body);
      expect(added).to.include({
        kind: 'adjustment',
        amount: 250,
        reason: 'Spiff',
        period: '2026-Q1',
        status: 'earned',
      });
      expect((await world.generate('ben', '2026-Q1')).summary).to.include({ totalAdjustments: 250, netPayout: 16_750 });
    });

    forbidden(516, 'POST adjust by a manager is 403: adjustments are for admins', () =>
      world.mgr.post(adjustPath(world), body),
    );

    for (const [number, field] of [
      [517, 'amount'],
      [518, 'reason'],
      [519, 'period'],
    ] as const)
      invalid(
        number,
        `POST adjust without ${field} is 400`,
        () => world.admin.post(adjustPath(world), { ...body, [field]: undefined }),
        field,
      );

    row(520, 'PATCH adjust changes the amount', async () => {
      await world.admin.expect(200, 'PATCH', adjustPath(world, added.eventId), { amount: -75.5 });
      expect((await world.generate('ben', '2026-Q1')).summary).to.include({ totalAdjustments: -75.5 });
    });

    row(521, 'PATCH adjust changes the reason', async () => {
      await world.admin.expect(200, 'PATCH', adjustPath(world, added.eventId), { reason: 'Correction' });
      const { lineItems } = await world.generate('ben', '2026-Q1');
      const line = lineItems.find((one: Json) => one.eventId === added.eventId);
      expect(line).to.include({ amount: -75.5, reason: 'Correction' });
    });

    row(522, 'PATCH adjust returns the edited values', async () => {
      const change = { amount: 100, reason: 'Final' };
      const answer = await world.admin.expect(200, 'PATCH', adjustPath(world, added.eventId), change);
      expect(answer).to.include({ eventId: added.eventId, ...change });
    });

    rejects(523, 'PATCH of an unknown adjustment is 400', 400, 'adjustment_not_found', () =>
      world.admin.patch(adjustPath(world, unknownId), { amount: 1 }),
    );

    invalid(524, 'PATCH without fields is 400', () => world.admin.patch(adjustPath(world, added.eventId), {}));
    adminOnly(525, 'PATCH', (who) => world.client(who).patch(adjustPath(world, added.eventId), { amount: 1 }));

    const engineEvent = async () => (await world.breakdown('D1')).events[0].eventId;

    row(526, 'DELETE adjust does not reach what the engine wrote', async () => {
      await world.admin.expect(200, 'DELETE', adjustPath(world, await engineEvent()));
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    });

    row(527, 'PATCH adjust does not reach what the engine wrote', async () => {
      await expectError(
        '400 adjustment_not_found',
        world.admin.patch(adjustPath(world, await engineEvent()), { amount: 1 }),
      );
      expect(await world.earned()).to.include({ D1: 4800 });
    });

    adminOnly(553, 'DELETE adjust', (who) => world.client(who).delete(adjustPath(world, added.eventId)));

    row(551, 'DELETE adjust removes the row permanently', async () => {
      const answer = await world.admin.expect(200, 'DELETE', adjustPath(world, added.eventId));
      expect(answer).to.include({ deleted: true });
      expect((await world.generate('ben', '2026-Q1')).summary).to.include({ totalAdjustments: 0, netPayout: 16_500 });
    });

    row(552, 'DELETE adjust is 200 when the row is already absent', async () => {
      const answer = await world.admin.expect(200, 'DELETE', adjustPath(world, added.eventId));
      expect(answer).to.include({ deleted: false });
    });

    row(565, 'DELETE adjust reaches clawback rows', async () => {
      const clawback = await world.adjust('ben', -300, '2026-Q1', { kind: 'clawback' });
      expect(await world.admin.expect(200, 'DELETE', adjustPath(world, clawback.eventId))).to.include({
        deleted: true,
      });
      expect((await world.generate('ben', '2026-Q1')).summary).to.include({ totalAdjustments: 0 });
    });
  });
}

const lacking: readonly (readonly [number, number, object])[] = [
  [530, 531, { period: '2026-Q1' }],
  [532, 533, { status: 'approved' }],
  [534, 535, {}],
];

/** Approving, what an approval locks, and unlocking. */
export function describeApproval(): void {
  describe('approval', () => {
    let world: World;
    let adjustment: Json;
    const path = () => `/v1/statements/${world.ids.ben}/approve`;
    const body = { period: '2026-Q1', status: 'approved' };

    before(async () => {
      ({ world } = await World.example());
      adjustment = await world.adjust('ben', 100, '2026-Q1');
      await world.generate('ben', '2026-Q1');
    });

    invalid(528, 'approve with {approve: true} is 400 VALIDATION_FAILED', () =>
      world.admin.post(path(), { approve: true }),
    );

    row(529, 'its message is "period and status required"', async () => {
      const answer = await world.admin.post(path(), { approve: true });
      expect(answer.body.message).to.equal('period and status required');
    });

    for (const [status, message, incomplete] of lacking) {
      row(status, `approve with ${JSON.stringify(incomplete)} is 400`, async () => {
        await expectError('400 VALIDATION_FAILED', world.admin.post(path(), incomplete));
        expect((await statementOf(world)).status).to.equal('draft');
      });

      row(message, `approve with ${JSON.stringify(incomplete)} says "period and status required"`, async () => {
        const answer = await world.admin.post(path(), incomplete);
        expect(answer.body.message).to.equal('period and status required');
      });
    }

    forbidden(536, 'approve by a rep is 403', () => world.ben.post(path(), body));
    invalid(537, 'approve with the status paid is 400', () => world.admin.post(path(), { ...body, status: 'paid' }));

    rejects(538, 'a true-up of a statement that is not approved is 409', 409, 'statement_not_approved', () =>
      world.admin.post(`/v1/statements/${world.ids.ben}/true-up`, { period: '2026-Q1' }),
    );

    row(539, 'a manager may approve', async () => {
      const answer = await world.mgr.expect(200, 'POST', path(), body);
      expect(answer).to.include({ status: 'approved', period: '2026-Q1' });
      expect(answer.summary.netPayout).to.equal(16_600);
    });

    row(540, 'POST adjust is 400 while approved', async () => {
      const more = { amount: 5, reason: 'late', period: '2026-Q1' };
      await expectError('400 statement_locked', world.admin.post(adjustPath(world), more));
    });

    rejects(541, 'PATCH adjust is 409 while approved', 409, 'statement_locked', () =>
      world.admin.patch(adjustPath(world, adjustment.eventId), { amount: 5 }),
    );

    row(542, 'DELETE adjust is 409 while approved', async () => {
      await expectError('409 statement_locked', world.admin.delete(adjustPath(world, adjustment.eventId)));
      expect((await statementOf(world)).summary.netPayout).to.equal(16_600);
    });

    row(543, 'GET status gives approved', async () => {
      const status = await world.get(`/v1/statements/${world.ids.ben}/status?period=2026-Q1`);
      expect(status).to.include({ status: 'approved', repId: world.ids.ben, period: '2026-Q1' });
    });

    row(550, 'approve with status draft unlocks', async () => {
      expect((await world.unlock('ben', '2026-Q1')).status).to.equal('draft');
      const more = { amount: 5, reason: 'late', period: '2026-Q1' };
      expect(await world.admin.expect(200, 'POST', adjustPath(world), more)).to.include({ amount: 5 });
    });
  });
}

/** True-ups of an approved statement; D1 is corrected from 60,000 to 20,000 after the approval. */
export function describeTrueUps(): void {
  describe('true-ups', () => {
    let world: World;
    let answer: Json;
    const path = () => `/v1/statements/${world.ids.ben}/true-up`;
    const body = { period: '2026-Q1' };

    before(async () => {
      ({ world } = await World.example());
      await world.approve('ben', '2026-Q1');
      await world.deal('D1', { amount: 20_000 });
      await world.waitForCalculations();
    });

    row(544, 'a true-up without a period is 400', async () => {
      const { details } = await expectError('400 VALIDATION_FAILED', world.admin.post(path(), {}));
      expect(details.issues[0].path).to.equal('period');
    });

    forbidden(545, 'a true-up by a rep is 403', () => world.ben.post(path(), body));

    row(546, 'a true-up of more than 500 returns requires_approval and writes nothing', async () => {
      answer = await world.mgr.expect(200, 'POST', path(), body);
      expect(answer.action).to.equal('requires_approval');
      const written = await service().sql(
        "select 1 from commission_events where workspace_id = $1 and kind = 'true_up'",
        world.workspaceId,
      );
      expect(written).to.deep.equal([]);
    });

    row(547, 'its delta is −6,500 and its approvalThreshold 500', () => {
      // 16,500 were approved; with D1 at 20,000 the quarter pays 1,600 + 4,800 + 3,600.
      expect(answer).to.include({ delta: -6500, approvalThreshold: 500 });
    });

    row(548, 'a true-up with force inserts the event', async () => {
      answer = await world.mgr.expect(200, 'POST', path(), { ...body, force: true });
      expect(answer).to.include({ action: 'trued_up', delta: -6500 });
      const statement = await statementOf(world);
      expect(statement).to.include({ status: 'approved', version: answer.version });
      expect(statement.summary).to.include({ totalAdjustments: -6500, netPayout: 10_000 });
    });

    row(549, 'a second true-up finds delta 0', async () => {
      expect(await world.mgr.expect(200, 'POST', path(), body)).to.include({ action: 'none', delta: 0 });
    });

    rejects(567, 'DELETE of the true-up row is 409 while approved', 409, 'statement_locked', () =>
      world.admin.delete(adjustPath(world, answer.eventId)),
    );

    row(568, 'DELETE of the true-up row is 200 once the statement is unlocked', async () => {
      await world.unlock('ben', '2026-Q1');
      await world.admin.expect(200, 'DELETE', adjustPath(world, answer.eventId));
      expect(await world.earned()).to.deep.equal({ D1: 1600, D2: 4800, D3: 3600 });
      expect((await world.generate('ben', '2026-Q1')).summary).to.include({ totalAdjustments: 0, netPayout: 10_000 });
    });

    row(566, 'a true-up of 500 or less needs no force', async () => {
      const { world: own } = await World.example();
      await own.approve('ben', '2026-Q1');
      // 30,000 → 31,000 at 15 %.
      await own.deal('D3', { amount: 31_000, closeDate: '2026-03-05' });
      await own.waitForCalculations();
      const small = await own.mgr.expect(200, 'POST', `/v1/statements/${own.ids.ben}/true-up`, body);
      expect(small).to.include({ action: 'trued_up', delta: 150 });
    });
  });
}

/** Comments on a rep's statement. */
export function describeComments(): void {
  describe('comments', () => {
    let world: World;
    let ofBen: Json;
    let ofManager: Json;
    const path = (id?: string) => `/v1/statements/${world.ids.ben}/comments${id === undefined ? '' : `/${id}`}`;
    const list = () => world.get(`${path()}?period=2026-Q1`);
    const comment = (body: string, more: object = {}) => ({ period: '2026-Q1', body, ...more });

    before(async () => {
      ({ world } = await World.example());
    });

    row(554, 'POST comment is 201 with the comment and its author', async () => {
      ofBen = await world.ben.expect(201, 'POST', path(), comment('D1 is too low', { dealId: 'D1' }));
      expect(ofBen).to.deep.include({
        repId: world.ids.ben,
        period: '2026-Q1',
        dealId: 'D1',
        body: 'D1 is too low',
        author: { repId: world.ids.ben, name: 'Ben' },
      });
    });

    row(555, 'GET comments lists the comments of the period', async () => {
      ofManager = await world.mgr.expect(201, 'POST', path(), comment('It is right'));
      const ids = (await list()).map((one: Json) => one.commentId);
      expect(ids).to.have.members([ofBen.commentId, ofManager.commentId]);
    });

    row(556, 'GET comments returns a bare array', async () => {
      expect(await list())
        .to.be.an('array')
        .with.length(2);
      expect(await world.get(`${path()}?period=2026-Q2`)).to.deep.equal([]);
    });

    forbidden(557, 'DELETE of a comment by another rep is 403', () => world.cat.delete(path(ofBen.commentId)));

    row(558, "DELETE of a manager's comment by the rep is rejected", async () => {
      await expectError('403 forbidden', world.ben.delete(path(ofManager.commentId)));
      expect(await list()).to.have.length(2);
    });

    row(559, 'DELETE of an own comment', async () => {
      await world.ben.expect(200, 'DELETE', path(ofBen.commentId));
      expect((await list()).map((one: Json) => one.commentId)).to.deep.equal([ofManager.commentId]);
    });

    row(560, 'a manager may delete the comment of a rep', async () => {
      const again = await world.ben.expect(201, 'POST', path(), comment('Once more'));
      await world.mgr.expect(200, 'DELETE', path(again.commentId));
      expect(await list()).to.have.length(1);
    });

    rejects(561, 'DELETE of an unknown comment is 404', 404, 'comment_not_found', () =>
      world.mgr.delete(path(unknownId)),
    );

    unauthorized(562, 'POST comment', () => world.anyone.post(path(), comment('x')));

    row(563, 'POST comment without body or period is 400', async () => {
      for (const bad of [{ period: '2026-Q1' }, { body: 'x' }, comment('')])
        await expectError('400 VALIDATION_FAILED', world.ben.post(path(), bad));
    });
  });
}
