import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../notebook.js';
import { openSentinel, type SentinelStage } from '../stages/sentinel-stage.js';
import type { Fault } from './fault.js';
import { injected } from './happened.js';

/** kill -9 of a primary; Sentinel makes its replica the next. What had not reached the replica may be lost. */
export const sentinelPromotion: Fault = {
  name: 'replica promoted by Sentinel',
  backends: ['redis'],
  openStage: openSentinel,
  happened: injected('promotions'),
  async inject({ crew, stage, notebook }) {
    const { primary, isPromoted } = stage as SentinelStage;
    const sinceAt = now() - 1_000;
    const isBack = crew.cutOff(crew.alive);
    await primary.kill('SIGKILL');
    const until = Date.now() + 60_000;
    while (!(await isPromoted()) && Date.now() < until) await sleep(50);
    if (!(await isPromoted())) throw new Error('Sentinel has promoted nobody within 60 s');
    notebook.note({ type: 'injected', what: 'promotions', count: 1 });
    isBack();
    notebook.note({ type: 'forgot', sinceAt });
  },
};
