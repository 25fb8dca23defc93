import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { commentsQuery } from '../../api/queries.js';
import { useKeptState } from '../../app/kept-state.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { formatInstant } from '../../format/dates.js';
import styles from './StatementPage.module.css';

interface CommentThreadProps {
  readonly repId: string;
  readonly period: string;
}

/** What people said about the statement. */
export function CommentThread({ repId, period }: CommentThreadProps) {
  const { role } = useSession();
  const comments = useQuery(commentsQuery(repId, period)).data ?? [];
  return (
    <section>
      <h2>Comments</h2>
      {comments.length === 0 ? (
        <p className="dim">None yet. {role === 'rep' ? 'Your manager' : 'The person'} sees what you write here.</p>
      ) : null}
      <ul className={styles.comments}>
        {comments.map(({ commentId, author, body, createdAt, dealId }) => (
          <li key={commentId}>
            <b className="strong">{author.name}</b>{' '}
            <span className="dim">
              {formatInstant(createdAt)}
              {dealId === null ? '' : `, about ${dealId}`}
            </span>
            <p>{body}</p>
          </li>
        ))}
      </ul>
      {role === 'payroll' ? null : <CommentForm repId={repId} period={period} />}
    </section>
  );
}

function CommentForm({ repId, period }: CommentThreadProps) {
  const [text, setText, clear] = useKeptState(`comment ${repId} ${period}`, '');
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: (body: string) => api.addComment({ params: { repId }, body: { period, body } }),
    onSuccess: () => {
      clear();
      return queryClient.invalidateQueries({ queryKey: ['comments', repId] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(text.trim());
      }}
    >
      <textarea
        className={styles.text}
        aria-label="Your comment"
        maxLength={4000}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === ''} isBusy={add.isPending}>
        Add comment
      </Button>
    </form>
  );
}
