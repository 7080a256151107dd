// Uses the embedded GitHub as @octokit/app and @octokit/rest do; prints what it saw as one JSON line.
const { modules, baseUrl, appId, privateKey, owner, repo, number } = JSON.parse(process.argv[2]);
const { App } = await import(`${modules}/@octokit/app/dist-node/index.js`);
const { Octokit } = await import(`${modules}/@octokit/rest/dist-src/index.js`);

const app = new App({ appId, privateKey, Octokit: Octokit.defaults({ baseUrl }) });
const seen = {};
const installations = [];
for await (const { octokit, installation } of app.eachInstallation.iterator()) {
  installations.push(installation.account.login);
  const at = { owner, repo };
  seen.title = (await octokit.rest.pulls.get({ ...at, pull_number: number })).data.title;
  for (let n = 0; n < 5; n++) await octokit.rest.issues.createComment({ ...at, issue_number: number, body: `comment ${n}` });
  const comments = await octokit.paginate(octokit.rest.issues.listComments, { ...at, issue_number: number, per_page: 2 });
  seen.comments = comments.map((one) => one.body);
  const sha = (await octokit.rest.git.getRef({ ...at, ref: "heads/main" })).data.object.sha;
  const check = await octokit.rest.checks.create({
    ...at, name: "second opinion", head_sha: sha, status: "completed", conclusion: "neutral",
    output: { title: "t", summary: "s" },
  });
  seen.check = check.data.conclusion;
  seen.files = (await octokit.paginate(octokit.rest.pulls.listFiles, { ...at, pull_number: number })).map((one) => one.filename);
  const answer = await octokit.graphql(
    "query($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { pullRequests(first: 5) { totalCount } } }", at);
  seen.pulls = answer.repository.pullRequests.totalCount;
  const run = (await octokit.rest.actions.listWorkflowRunsForRepo({ ...at, event: "pull_request" })).data.workflow_runs[0];
  await octokit.rest.actions.reRunWorkflowFailedJobs({ ...at, run_id: run.id });
  const again = await octokit.rest.actions.reRunWorkflowFailedJobs({ ...at, run_id: run.id }).catch((error) => error.status);
  const before = await octokit.rest.actions.listJobsForWorkflowRunAttempt({ ...at, run_id: run.id, attempt_number: 1 });
  const log = await octokit.rest.actions.downloadJobLogsForWorkflowRun({ ...at, job_id: before.data.jobs[0].id });
  seen.run = { conclusion: run.conclusion, again, jobs: before.data.jobs.map((job) => job.conclusion), log: log.data.includes("exit code 1") };
  seen.missing = await octokit.rest.pulls.get({ ...at, pull_number: 999 }).catch((error) => error.status);
}
console.log(JSON.stringify({ installations, ...seen }));
