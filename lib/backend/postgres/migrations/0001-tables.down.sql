-- Takes away all that this version has made, with every task in it.
DROP TYPE settlement;
DROP TYPE told_runs;
DROP TYPE new_task;
DROP TABLE lost_runs;
DROP TABLE slot_outcomes;
DROP TABLE throughput;
DROP TABLE job_figures;
DROP TABLE runners;
DROP TABLE calls;
DROP TABLE schedules;
DROP TABLE tasks;
DROP TABLE queues;
DROP SEQUENCE versions;
DROP SEQUENCE parkings;
DROP SEQUENCE epochs;
DROP SEQUENCE arrivals;
