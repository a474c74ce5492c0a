import type { JobCatalog } from '../../catalog/job-catalog.js';
import type { Ref } from '../api/basics.js';
import type { ScheduleAction, ScheduleActed, ScheduleDetails, ScheduleList } from '../api/schedules.js';
import { scheduleDetails, scheduleRow } from '../answers/schedule-answers.js';
import { notFound } from '../http/api-failure.js';
import type { Fields } from '../http/fields.js';
import { nameOf, pageOf } from './page-fields.js';
import { get, post, type Asked, type Route } from './route.js';

const actions: readonly ScheduleAction[] = ['run', 'pause', 'resume', 'remove'];

export function scheduleRoutes(catalog: JobCatalog, acted: () => void): Route[] {
  return [
    get('schedules', (asked) =>
      list(catalog, asked.query('queue', 'job', 'isPaused', 'text', 'limit', 'after')),
    ),
    get('schedule', (asked) => one(catalog, asked.query('queue', 'id'))),
    post('schedules/act', 'operate', async (asked) => {
      const answer = await act(catalog, asked);
      acted();
      return answer;
    }),
  ];
}

async function list(catalog: JobCatalog, fields: Fields): Promise<ScheduleList> {
  const filter = {
    queue: fields.texts('queue'),
    job: fields.texts('job'),
    isPaused: fields.flag('isPaused'),
    text: fields.text('text'),
  };
  const { schedules, next, complete } = await catalog.schedules(filter, pageOf(fields));
  return { schedules: schedules.map(scheduleRow), next, isComplete: complete };
}

async function one(catalog: JobCatalog, fields: Fields): Promise<ScheduleDetails> {
  const found = await catalog.schedule(nameOf(fields));
  if (!found) throw missing();
  return scheduleDetails(found);
}

async function act(catalog: JobCatalog, asked: Asked): Promise<ScheduleActed> {
  const fields = await asked.body('action', 'queue', 'id');
  const action = fields.oneOf('action', actions);
  const ref = { queue: fields.requiredText('queue'), id: fields.requiredText('id') };
  const meant = `${action} of schedule ${JSON.stringify(`${ref.queue}/${ref.id}`)}`;
  const answer = await asked.doing(meant, () => steer(catalog, action, ref));
  const made = answer.task ? `, task ${JSON.stringify(answer.task.id)}` : '';
  asked.did(`${meant}: ${answer.outcome}${made}`);
  return answer;
}

async function steer(catalog: JobCatalog, action: ScheduleAction, ref: Ref): Promise<ScheduleActed> {
  if (action === 'run') {
    const made = await catalog.runSchedule(ref);
    if (made === 'missing') throw missing();
    return made === 'taken' ? { outcome: 'taken' } : { outcome: 'done', task: made };
  }
  const acts = { pause: 'pauseSchedule', resume: 'resumeSchedule', remove: 'removeSchedule' } as const;
  const outcome = await catalog[acts[action]](ref);
  if (outcome === 'missing') throw missing();
  return { outcome };
}

function missing() {
  return notFound('there is no such schedule: it has ended, or was removed');
}
