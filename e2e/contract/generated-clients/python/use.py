"""Calls every operation below /api/ and prints what it saw; generated-clients.test.ts says what that must be."""

import json
import os
from io import BytesIO

from waymark_client import AuthenticatedClient, Client
from waymark_client.api.account import (
    add_passkey,
    create_passkey_options,
    create_restricted_key,
    delete_passkey,
    delete_restricted_key,
    delete_saved_filter,
    get_me,
    list_keys,
    list_passkeys,
    list_restricted_keys,
    list_saved_filters,
    list_session_accounts,
    revoke_key,
    rotate_key,
    save_filter,
)
from waymark_client.api.analytics import get_analytics, list_clicks
from waymark_client.api.events import list_events
from waymark_client.api.hosts import add_host, delete_host, get_host, list_hosts, update_host, verify_host
from waymark_client.api.jobs import (
    cancel_job,
    get_job,
    list_jobs,
    list_refused,
    start_import,
    start_job,
    undo_job,
)
from waymark_client.api.links import (
    bulk_edit_links,
    create_link,
    delete_clicks,
    delete_link,
    export_links,
    get_link,
    get_qr_code,
    list_hashtags,
    list_links,
    read_auto_meta,
    update_link,
)
from waymark_client.api.sessions import (
    create_passkey_session,
    create_session,
    create_sign_in_options,
    delete_current_session,
    switch_session,
)
from waymark_client.api.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_deliveries,
    list_webhooks,
    replay_webhook,
    rotate_webhook_secret,
    test_webhook,
    update_webhook,
)
from waymark_client.models import (
    AddHostInput,
    AddPasskeyInput,
    AddPasskeyInputResponse,
    BulkInput,
    CreateLinkInput,
    CreateOperation,
    CreateRestrictedKeyInput,
    CreateSessionInput,
    CreateWebhookInput,
    DeleteOperation,
    ExportLinksFormat,
    GetQrCodeFormat,
    JobChange,
    JobFilter,
    JobInput,
    JobInputKind,
    KeyAction,
    KeyScope,
    ListClicksFormat,
    ListLinksSort,
    PasskeySignInInput,
    PasskeySignInInputResponse,
    ReplayInput,
    SavedFilterQuery,
    SaveFilterInput,
    SwitchSessionInput,
    UpdateHostInput,
    UpdateLinkInput,
    UpdateOperation,
    UpdateWebhookInput,
    UpsertLinkInput,
    UpsertOperation,
    Visibility,
    WebhookType,
)
from waymark_client.types import File

URL = os.environ["BASE_URL"]
client = AuthenticatedClient(base_url=URL, token=os.environ["API_KEY"])


def refusal(response):
    return [response.status_code, response.parsed.error]


seen = {}
seen["me"] = get_me.sync(client=client).key_scope

body = CreateLinkInput(destination_url="https://example.com/", title="Created", hashtags=["kept"], auto_meta=False)
created = create_link.sync(client=client, body=body, idempotency_key="generated")
id = created.id
seen["created"] = [created.title, created.hashtags, created.visibility]
updated = update_link.sync(id, client=client, body=UpdateLinkInput(title="Updated"))
seen["updated"] = [updated.title, updated.hashtags]
emptied = update_link.sync(id, client=client, body=UpdateLinkInput(hashtags=[], visibility=Visibility.UNLISTED))
seen["emptied"] = [emptied.title, emptied.hashtags]
seen["got"] = get_link.sync(id, client=client).visibility
upserted = UpsertLinkInput(slug=created.slug, destination_url="https://example.com/", title="Upserted")
operations = [
    CreateOperation(op="create", link=CreateLinkInput(destination_url="https://example.org/", title="Bulk")),
    UpdateOperation(op="update", id=id, link=UpdateLinkInput(title="Changed")),
    UpsertOperation(op="upsert", link=upserted),
    DeleteOperation(op="delete", id="unknown"),
    DeleteOperation(op="delete", id=id),
]
results = bulk_edit_links.sync(client=client, body=BulkInput(operations=operations)).results
seen["bulk"] = [[one.status, one.link.title if one.link else one.error or None] for one in results]
id = results[0].link.id
found = list_links.sync(client=client, q="bulk", visibility=Visibility.PUBLIC, sort=ListLinksSort.TITLE, per=10)
seen["listed"] = [found.total, found.links[0].title]
seen["png"] = get_qr_code.sync(id, client=client, format_=GetQrCodeFormat.PNG, size=128).payload.read(8).hex()
seen["svg"] = get_qr_code.sync(id, client=client).payload.read(4).decode()
seen["csv"] = export_links.sync(client=client, q="bulk", format_=ExportLinksFormat.CSV).payload.read(8).decode()
seen["ndjson"] = json.loads(export_links.sync(client=client, q="bulk").payload.read())["title"]
analytics = get_analytics.sync(client=client, days=7, tz="Europe/Berlin")
seen["analytics"] = [analytics.days, analytics.clicks, len(analytics.clicks_by_day)]
clicks = list_clicks.sync(client=client, link_id=id, format_=ListClicksFormat.CSV)
seen["clicks"] = clicks.payload.read(7).decode()
delete_clicks.sync_detailed(id, client=client)
seen["forgotten"] = refusal(delete_clicks.sync_detailed("unknown", client=client))
seen["page"] = read_auto_meta.sync_detailed(client=client).status_code
change = JobChange(add_hashtags=["jobbed"])
body = JobInput(kind=JobInputKind.EDIT, filter_=JobFilter(q="bulk"), change=change)
job = start_job.sync(client=client, body=body)
seen["job"] = [job.state, job.changed]
seen["hashtags"] = [[one.hashtag, one.links] for one in list_hashtags.sync(client=client).hashtags]
event = list_events.sync(client=client, types="link.created", limit=1).events[0]
seen["events"] = [event.type_, event.actor.kind]
body = CreateWebhookInput(url="https://example.com/hook", types=[WebhookType.LINK_CREATED])
made = create_webhook.sync(client=client, body=body)
stopped = update_webhook.sync(made.id, client=client, body=UpdateWebhookInput(enabled=False))
renewed = rotate_webhook_secret.sync(made.id, client=client)
replay_webhook.sync_detailed(made.id, client=client, body=ReplayInput(after=event.id))
seen["webhooks"] = [
    made.secret[:6],
    get_webhook.sync(made.id, client=client).url,
    stopped.enabled,
    renewed.secret == made.secret,
    len(list_deliveries.sync(made.id, client=client).deliveries),
]
test_webhook.sync_detailed(made.id, client=client)
delete_webhook.sync_detailed(made.id, client=client)
seen["webhooks"].append(len(list_webhooks.sync(client=client).webhooks))
seen["rejected"] = list_refused.sync(job.id, client=client).payload.read(9).decode()
seen["over"] = refusal(cancel_job.sync_detailed(job.id, client=client))
undo = undo_job.sync(job.id, client=client)
seen["undone"] = get_job.sync(undo.id, client=client).kind
file = File(payload=BytesIO(b"url\nhttps://example.com/\n"))
imported = start_import.sync(client=client, body=file)
while imported.finished_at is None:
    imported = get_job.sync(imported.id, client=client)
seen["imported"] = [imported.kind, imported.created]
seen["jobs"] = len(list_jobs.sync(client=client).jobs)
delete_link.sync_detailed(id, client=client)
seen["refused"] = refusal(get_link.sync_detailed(id, client=client))
seen["invalid"] = refusal(list_links.sync_detailed(client=client, per=101))

session = create_session.sync(client=Client(base_url=URL), body=CreateSessionInput(token=os.environ["SIGN_IN_TOKEN"]))
owner = AuthenticatedClient(base_url=URL, token=session.token)
seen["keys"] = [key.scope for key in list_keys.sync(client=owner).keys]
seen["rotated"] = rotate_key.sync(KeyScope.PUBLIC_LINKS_ONLY, client=owner).key[:8]
revoke_key.sync_detailed(KeyScope.PUBLIC_LINKS_ONLY, client=owner)
seen["left"] = len(list_keys.sync(client=owner).keys)
body = CreateRestrictedKeyInput(name="Reader", scope=KeyScope.FULL_ACCESS, actions=[KeyAction.READ])
restricted = create_restricted_key.sync(client=owner, body=body)
reader = list_restricted_keys.sync(client=owner).keys[0]
delete_restricted_key.sync_detailed(restricted.id, client=owner)
restricted_left = len(list_restricted_keys.sync(client=owner).keys)
seen["restricted"] = [restricted.key[:8], reader.name, reader.actions, restricted_left]
body = SaveFilterInput(name="Sale", query=SavedFilterQuery(hashtag="sale"))
saved = save_filter.sync(client=owner, body=body)
filters = [one.name for one in list_saved_filters.sync(client=owner).filters]
delete_saved_filter.sync_detailed(saved.id, client=owner)
seen["filters"] = [saved.query.hashtag, filters, len(list_saved_filters.sync(client=owner).filters)]
host = add_host.sync(client=client, body=AddHostInput(host="go.example.com"))
rooted = update_host.sync(host.id, client=client, body=UpdateHostInput(root_url="https://example.com/"))
seen["hosts"] = [
    host.status,
    rooted.root_url,
    len(list_hosts.sync(client=client).hosts),
    get_host.sync(host.id, client=client).host,
    verify_host.sync(host.id, client=client).status,
]
delete_host.sync_detailed(host.id, client=client)
seen["hosts"].append(get_host.sync_detailed(host.id, client=client).status_code)
anyone = Client(base_url=URL)
new_passkey = AddPasskeyInput(name="Generated", response=AddPasskeyInputResponse())
sign_in = PasskeySignInInput(response=PasskeySignInInputResponse())
seen["passkeys"] = [
    create_passkey_options.sync(client=owner)["attestation"],
    len(list_passkeys.sync(client=owner).passkeys),
    add_passkey.sync_detailed(client=owner, body=new_passkey).status_code,
    delete_passkey.sync_detailed("unknown", client=owner).status_code,
    create_sign_in_options.sync(client=anyone)["userVerification"],
    create_passkey_session.sync_detailed(client=anyone, body=sign_in).status_code,
]
account = list_session_accounts.sync(client=owner).accounts[0]
switched = switch_session.sync_detailed(client=owner, body=SwitchSessionInput(username="unknown")).status_code
seen["accounts"] = [account.role, account.current, switched]
delete_current_session.sync_detailed(client=owner)
print(json.dumps(seen))
