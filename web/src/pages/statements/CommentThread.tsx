import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { commentsQuery } from '../../api/queries.js';
import { usePersistedState } from '../../app/persisted-state.js';
import { onlyReads, useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { TextArea } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { formatInstant } from '../../shared/format/dates.js';
import styles from './StatementPage.module.css';

interface CommentThreadProps {
  readonly repId: string;
  readonly period: string;
}

/** What people said about the statement. */
export function CommentThread({ repId, period }: CommentThreadProps) {
  const { role } = useSession();
  const comments = useQuery(commentsQuery(repId, period));
  return (
    <section className={blocks.inOrder}>
      <h2>Comments</h2>
      <Loaded query={comments} height={20}>
        {(all) =>
          all.length === 0 ? (
            <p className="dim">
              No comments yet. {role === 'rep' ? 'Your manager' : 'The person'} sees what you write here.
            </p>
          ) : (
            <ul className={styles.comments}>
              {all.map(({ commentId, author, body, createdAt, dealId }) => (
                <li key={commentId}>
                  <b className="strong">{author.name}</b>{' '}
                  <span className="dim">
                    {formatInstant(createdAt)}
                    {dealId === null ? '' : `, about ${dealId}`}
                  </span>
                  <p className="written">{body}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {onlyReads(role) ? null : <CommentForm repId={repId} period={period} />}
    </section>
  );
}

function CommentForm({ repId, period }: CommentThreadProps) {
  const [text, setText, clear] = usePersistedState(`comment ${repId} ${period}`, '');
  const add = useAction({
    send: () => api.addComment({ params: { repId }, body: { period, body: text.trim() } }),
    reloads: { queryKey: ['comments', repId] },
    onDone: clear,
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        add.send();
      }}
    >
      <TextArea
        label="Your comment"
        maxLength={4000}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === ''} isBusy={add.isBusy}>
        Add comment
      </Button>
    </form>
  );
}
