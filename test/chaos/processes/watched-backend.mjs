// A backend that writes down what it was asked and what the store answered, and at which a process can be made to die before
// a request, after it has left, and after its answer.
import { now } from './notes.mjs';

export function watchedBackend(real, { name, note, reach, epochs }) {
  const claimed = (claim, sentAt) => {
    for (const { queue, id, epoch, attempt, priority, conflictsWith } of claim.tasks) {
      epochs.set(`${queue}/${id}/${attempt}`, epoch);
      note({ type: 'claimed', process: name, queue, id, epoch, attempt, priority, conflictsWith, sentAt });
    }
  };
  const settled = ({ queue, id, epoch, outcome }, answer, sentAt) => {
    const { type } = outcome;
    const ref = { process: name, queue, id, epoch };
    // Which state it led to is the store's to say.
    if (answer === 'settled' || answer === 'cancelled')
      note({ type: 'settled', ...ref, outcome: type, state: 'gone', sentAt });
    if (answer === 'lost') note({ type: 'told-lost', ...ref, attempt: 0 });
  };
  const around = async (point, ask, heard = () => undefined) => {
    const sentAt = now();
    reach(`${point}:before`);
    const asked = ask();
    reach.soon(`${point}:sent`);
    const answer = await asked;
    heard(answer, sentAt);
    reach(`${point}:answered`);
    return answer;
  };
  const tasks = () => ({
    add: (groups) => around('add', () => real.tasks.add(groups)),
    claim: (request) => around('claim', () => real.tasks.claim(request), claimed),
    settle: (settlements) => {
      for (const { queue, id, epoch, outcome } of settlements)
        note({ type: 'offered', process: name, queue, id, epoch, attempt: 0, outcome: outcome.type });
      const heard = (answers, sentAt) =>
        settlements.forEach((settlement, at) => settled(settlement, answers[at], sentAt));
      return around('settle', () => real.tasks.settle(settlements), heard);
    },
  });
  const schedules = () => ({
    put: (...given) => around('put', () => real.schedules.put(...given)),
    due: (...given) => around('due', () => real.schedules.due(...given)),
    advance: (...given) => around('advance', () => real.schedules.advance(...given)),
  });
  // A backend has its parts when it is open.
  const parts = { tasks, schedules, transactions: joined };
  const watched = new Map();
  const part = (key) => {
    const found = real[key];
    if (found && !watched.has(key)) watched.set(key, replaced(found, parts[key](found)));
    return found && watched.get(key);
  };
  return replaced(real, {
    get tasks() {
      return part('tasks');
    },
    get schedules() {
      return part('schedules');
    },
    get transactions() {
      return part('transactions');
    },
  });

  /** Only the commit tells whether an outcome was taken. */
  function joined(store) {
    const open = new WeakMap();
    return {
      async settle(transaction, settlement) {
        const sentAt = now();
        const answer = await store.settle(transaction, settlement);
        open.set(transaction, { settlement, answer, sentAt });
        reach('commit:before');
        return answer;
      },
      async begin(lease, work, ...more) {
        let own;
        const result = await store.begin(
          lease,
          async (transaction, hasInHand) => {
            const made = await work((own = transaction), hasInHand);
            if (open.has(own)) reach.soon('commit:sent');
            return made;
          },
          ...more,
        );
        const made = own && open.get(own);
        if (made) settled(made.settlement, made.answer, made.sentAt);
        reach('commit:answered');
        return result;
      },
    };
  }
}

/** The same object, of which some members are others. */
function replaced(real, members) {
  return new Proxy(real, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key];
      const value = target[key];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
