import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type DealOwner, dealOwnersQuery } from '../../api/set-up-queries.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button, buttonClass } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { InlineSelect } from '../../components/Inline.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { FindPerson, usePersonFinder } from '../../features/people/PersonChoice.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';

/** Owners of deals who match no person. An admin matches each with a person, for these deals and later ones. */
export function OwnersPage() {
  const owners = useQuery(dealOwnersQuery);
  return (
    <Page
      title="Owners"
      crumbs={[{ label: 'Owners' }]}
      facts={[
        owners.data === undefined ? null : `${formatCount(owners.data.count, 'owner')} without a person`,
        owners.data === undefined || owners.data.dealsWithoutOwner === 0 ? null : (
          <Link key="without" to="/deals" search={{ show: 'unowned' }}>
            {formatCount(owners.data.dealsWithoutOwner, 'deal')} name no owner
          </Link>
        ),
      ]}
    >
      <Loaded query={owners} height={320}>
        {({ owners: unmatched, dealsWithoutOwner }) =>
          unmatched.length === 0 ? (
            <EmptyState
              title="Every owner is matched"
              actions={
                dealsWithoutOwner === 0 ? undefined : (
                  <Link to="/deals" search={{ show: 'unowned' }} className={buttonClass()}>
                    Choose people for {formatCount(dealsWithoutOwner, 'deal')} without an owner
                  </Link>
                )
              }
            >
              Owners of imported deals who match no person appear here.
            </EmptyState>
          ) : (
            <UnmatchedOwners owners={unmatched} />
          )
        }
      </Loaded>
    </Page>
  );
}

function UnmatchedOwners({ owners }: { readonly owners: readonly DealOwner[] }) {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const finder = usePersonFinder({ chosen: Object.values(chosen) });
  const matches = owners.flatMap(({ owner }) => {
    const repId = chosen[owner] ?? '';
    return repId === '' ? [] : [{ owner, repId }];
  });
  const save = useAction({
    send: () => api.matchDealOwners({ body: { matches } }),
    onDone: ({ deals }) => {
      setChosen({});
      showMessage(`${formatCount(deals, 'deal')} got a person. Commission is calculated again.`);
    },
  });
  const choices = [['', 'Choose a person'] as const, ...finder.choices];
  const columns: readonly Column<DealOwner>[] = [
    { key: 'owner', header: 'Owner in the deals', phone: 'title', cell: ({ owner }) => owner },
    {
      key: 'deals',
      header: 'Deals',
      phone: 'detail',
      align: 'right',
      cell: ({ deals, lastCloseDate }) => (
        <>
          <span className="num">{formatCount(deals, 'deal')}</span>
          <span className="second">
            {lastCloseDate === null ? null : `the latest closes ${formatDay(lastCloseDate)}`}
          </span>
        </>
      ),
    },
    {
      key: 'person',
      header: 'Person',
      phone: 'note',
      cell: ({ owner }) => (
        <InlineSelect
          label={`Person for ${owner}`}
          value={chosen[owner] ?? ''}
          choices={choices}
          onChange={({ currentTarget }) => setChosen({ ...chosen, [owner]: currentTarget.value })}
        />
      ),
    },
  ];
  return (
    <>
      <p className="dim">
        A person who is missing here can be added under <Link to="/members">People</Link>: with the same address or
        owner ID, the deals find them without a match.
      </p>
      <FindPerson finder={finder} />
      <DataTable caption="Owners" columns={columns} rows={owners} rowKey={({ owner }) => owner} rowHeight={50} />
      <div className={blocks.saveLine}>
        <span className="dim">The deals, and later ones of the owner, belong to the person and pay them.</span>
        <Button kind="primary" disabled={matches.length === 0} isBusy={save.isBusy} onClick={() => save.send()}>
          {matches.length === 0 ? 'Match owners' : `Match ${formatCount(matches.length, 'owner')}`}
        </Button>
      </div>
    </>
  );
}
