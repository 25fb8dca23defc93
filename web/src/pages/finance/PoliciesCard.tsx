import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Accounting, approvalEffectQuery, type Policy, policiesQuery } from '../../api/finance-queries.js';
import { useSession } from '../../app/session.js';
import { Button, buttonClass } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { describePolicy, exampleOfPolicy } from '../../features/finance/policy-words.js';
import styles from './Finance.module.css';
import { PolicyEffect } from './PolicyEffect.js';
import { ProposalLine } from './ProposalLine.js';

const ProposePolicyDialog = lazy(() =>
  import('./ProposePolicyDialog.js').then((module) => ({ default: module.ProposePolicyDialog })),
);

/** Which cost is an asset, and over how long: versions that one admin proposes and another approves. */
export function PoliciesCard({ accounting, month }: { readonly accounting: Accounting; readonly month: string }) {
  const { role } = useSession();
  const policies = useQuery(policiesQuery);
  const [isProposing, setProposing] = useState(false);
  return (
    <Loaded query={policies} height={120}>
      {(versions) => (
        <Card
          title="Policies of capitalised cost"
          note={versions.length === 0 ? 'without a policy, commission is expense' : undefined}
          action={
            <span className={styles.buttons}>
              {versions.length === 0 ? null : (
                <Link to="/month-end/renewals" search={{ month }} className={buttonClass()}>
                  Renewal test
                </Link>
              )}
              {role === 'admin' ? <Button onClick={() => setProposing(true)}>Propose</Button> : null}
            </span>
          }
        >
          <ul className={styles.points}>
            {versions.map((policy) => (
              <PolicyLine key={`${policy.name} ${policy.version}`} policy={policy} accounting={accounting} />
            ))}
          </ul>
          <Suspense fallback={null}>
            {isProposing ? <ProposePolicyDialog accounting={accounting} onClose={() => setProposing(false)} /> : null}
          </Suspense>
        </Card>
      )}
    </Loaded>
  );
}

interface PolicyProps {
  readonly policy: Policy;
  readonly accounting: Accounting;
}

function PolicyLine({ policy, accounting }: PolicyProps) {
  const { name, version, status } = policy;
  const [isApproving, setApproving] = useState(false);
  const withdraw = useAction({ send: () => api.withdrawPolicy({ params: { name, version: String(version) } }) });
  const example = exampleOfPolicy(policy, accounting.entities);
  return (
    <ProposalLine status={status} approve={{ isBusy: false, send: () => setApproving(true) }} withdraw={withdraw}>
      {name} v{version}: {describePolicy(policy)}
      {example === null ? null : <span className="second">{example}</span>}
      {isApproving ? (
        <ApproveDialog policy={policy} accounting={accounting} onClose={() => setApproving(false)} />
      ) : null}
    </ProposalLine>
  );
}

function ApproveDialog({ policy, accounting, onClose }: PolicyProps & { readonly onClose: () => void }) {
  const params = { name: policy.name, version: String(policy.version) };
  const preview = useQuery(approvalEffectQuery(params.name, params.version));
  const change = useChange({ send: () => api.approvePolicy({ params }), onDone: onClose });
  return (
    <Dialog
      title={`Approve ${policy.name} v${policy.version}`}
      size={720}
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      action={{ disabled: preview.data === undefined, children: 'Approve' }}
    >
      <PolicyEffect preview={preview} entities={accounting.entities} />
    </Dialog>
  );
}
