//! Calls every operation below /api/ and prints what it saw; generated-clients.test.ts says what that must be.

use serde_json::{json, Value};
use std::env::var;
use std::fmt::Debug;
use waymark_client::apis::configuration::Configuration;
use waymark_client::apis::{account_api, analytics_api, events_api, hosts_api, jobs_api, links_api, sessions_api, webhooks_api, Error};
use waymark_client::models::{
    create_operation, delete_operation, update_operation, upsert_operation, AddHostInput, AddPasskeyInput, BulkInput, BulkOperation, CreateLinkInput, CreateOperation,
    CreateRestrictedKeyInput, CreateSessionInput, CreateWebhookInput, DeleteOperation, job_input, ImportAnswer, JobChange, JobFilter, JobInput, KeyAction, KeyScope, PasskeySignInInput, ReplayInput, RotateKeyInput, SaveFilterInput, SavedFilterQuery, SwitchSessionInput, UpdateHostInput, UpdateLinkInput, UpdateOperation, UpdateWebhookInput, UpsertLinkInput, UpsertOperation, Visibility, WebhookType,
};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

fn with_token(token: String) -> Anything<Configuration> {
    Ok(Configuration { base_path: var("BASE_URL")?, bearer_access_token: Some(token), ..Configuration::new() })
}

fn refusal<T: Debug, E>(result: Result<T, Error<E>>) -> Value {
    match result {
        Err(Error::ResponseError(refused)) => {
            let body: Value = serde_json::from_str(&refused.content).unwrap_or_default();
            json!([refused.status.as_u16(), body["error"]])
        }
        other => json!(format!("{:?}", other.ok())),
    }
}

fn list_params() -> links_api::ListLinksParams {
    links_api::ListLinksParams {
        q: None,
        hashtag: None,
        visibility: None,
        domain: None,
        archived: None,
        host: None,
        managed_by: None,
        created_before: None,
        created_after: None,
        expired: None,
        destination_url: None,
        health: None,
        last_clicked_before: None,
        duplicates: None,
        fields: None,
        page: None,
        per: None,
        sort: None,
        dir: None,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Anything<()> {
    let key = with_token(var("API_KEY")?)?;
    let mut seen = json!({});
    seen["me"] = json!(account_api::get_me(&key).await?.key_scope);

    let input = CreateLinkInput {
        title: Some(Some("Created".into())),
        hashtags: Some(Some(vec!["kept".into()])),
        auto_meta: Some(false),
        ..CreateLinkInput::new("https://example.com/".into())
    };
    let params =
        links_api::CreateLinkParams { create_link_input: input, idempotency_key: Some("generated".into()) };
    let created = links_api::create_link(&key, params).await?;
    let mut id = created.id.clone();
    seen["created"] = json!([created.title, created.hashtags, created.visibility]);
    let update = |update_link_input| links_api::UpdateLinkParams { id: created.id.clone(), update_link_input };
    let titled = UpdateLinkInput { title: Some(Some("Updated".into())), ..UpdateLinkInput::new() };
    let updated = links_api::update_link(&key, update(titled)).await?;
    seen["updated"] = json!([updated.title, updated.hashtags]);
    let empty = UpdateLinkInput {
        hashtags: Some(Some(vec![])),
        visibility: Some(Visibility::Unlisted),
        ..UpdateLinkInput::new()
    };
    let emptied = links_api::update_link(&key, update(empty)).await?;
    seen["emptied"] = json!([emptied.title, emptied.hashtags]);
    let get = |id: &str| links_api::GetLinkParams { id: id.into() };
    seen["got"] = json!(links_api::get_link(&key, get(&id)).await?.visibility);

    let another = CreateLinkInput {
        title: Some(Some("Bulk".into())),
        ..CreateLinkInput::new("https://example.org/".into())
    };
    let change = UpdateLinkInput { title: Some(Some("Changed".into())), ..UpdateLinkInput::new() };
    let upserted = UpsertLinkInput {
        title: Some(Some("Upserted".into())),
        ..UpsertLinkInput::new(created.slug.clone())
    };
    let delete = |id: &str| {
        BulkOperation::Delete(Box::new(DeleteOperation::new(delete_operation::Op::Delete, id.into())))
    };
    let bulk_input = BulkInput::new(vec![
        BulkOperation::Create(Box::new(CreateOperation::new(create_operation::Op::Create, another))),
        BulkOperation::Update(Box::new(UpdateOperation::new(update_operation::Op::Update, id.clone(), change))),
        BulkOperation::Upsert(Box::new(UpsertOperation::new(upsert_operation::Op::Upsert, upserted))),
        delete("unknown"),
        delete(&id),
    ]);
    let params = links_api::BulkEditLinksParams { bulk_input, idempotency_key: None };
    let results = links_api::bulk_edit_links(&key, params).await?.results;
    let shown = results.iter().map(|one| match &one.link {
        Some(link) => json!([one.status, link.title]),
        None => json!([one.status, one.error]),
    });
    seen["bulk"] = shown.collect();
    id = results[0].link.as_ref().ok_or("no link")?.id.clone();

    let params = links_api::ListLinksParams {
        q: Some("bulk".into()),
        visibility: Some(Visibility::Public),
        sort: Some("title".into()),
        per: Some(10),
        ..list_params()
    };
    let list = links_api::list_links(&key, params).await?;
    seen["listed"] = json!([list.total, list.links[0].title]);
    let image = |format: Option<&str>| links_api::GetQrCodeParams {
        id: id.clone(),
        format: format.map(Into::into),
        size: Some(128),
        margin: None,
        level: None,
        color: None,
        background: None,
        logo: None,
    };
    let png = links_api::get_qr_code(&key, image(Some("png"))).await?.bytes().await?;
    seen["png"] = json!(png[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    seen["svg"] = json!(links_api::get_qr_code(&key, image(None)).await?.text().await?[..4]);
    let export = |format: &str| links_api::ExportLinksParams {
        q: Some("bulk".into()),
        hashtag: None,
        visibility: None,
        domain: None,
        archived: None,
        host: None,
        managed_by: None,
        created_before: None,
        created_after: None,
        expired: None,
        destination_url: None,
        health: None,
        last_clicked_before: None,
        format: Some(format.into()),
    };
    seen["csv"] = json!(links_api::export_links(&key, export("csv")).await?.text().await?[..8]);
    let ndjson = links_api::export_links(&key, export("ndjson")).await?.text().await?;
    seen["ndjson"] = serde_json::from_str::<Value>(&ndjson)?["title"].take();
    let params = analytics_api::GetAnalyticsParams {
        days: Some(7),
        tz: Some("Europe/Berlin".into()),
        from: None,
        to: None,
        source: None,
        link_id: None,
        hashtag: None,
        device: None,
        country: None,
        browser: None,
        os: None,
        host: None,
        language: None,
        utm_campaign: None,
        utm_medium: None,
        utm_content: None,
        utm_term: None,
        include: None,
        cross: None,
        fields: None,
        top: None,
        top_by: None,
    };
    let analytics = analytics_api::get_analytics(&key, params).await?;
    seen["analytics"] = json!([analytics.days, analytics.clicks, analytics.clicks_by_day.map(|days| days.len())]);
    let clicks = analytics_api::ListClicksParams {
        after: None,
        limit: None,
        link_id: Some(id.clone()),
        format: Some("csv".into()),
    };
    seen["clicks"] = json!(analytics_api::list_clicks(&key, clicks).await?.text().await?[..7]);
    let forget = |id: &str| links_api::DeleteClicksParams { id: id.into() };
    links_api::delete_clicks(&key, forget(&id)).await?;
    seen["forgotten"] = refusal(links_api::delete_clicks(&key, forget("unknown")).await);
    let page = links_api::read_auto_meta(&key, links_api::ReadAutoMetaParams { destination_url: None }).await;
    seen["page"] = refusal(page)[0].take();
    let filter = JobFilter { q: Some("bulk".into()), ..JobFilter::new() };
    let change = JobChange { add_hashtags: Some(vec!["jobbed".into()]), ..JobChange::new() };
    let job_input = JobInput { change: Some(Box::new(change)), ..JobInput::new(job_input::Kind::Edit, filter) };
    let params = jobs_api::StartJobParams { job_input, idempotency_key: None };
    let job = jobs_api::start_job(&key, params).await?;
    seen["job"] = json!([job.state, job.changed]);
    let hashtags = links_api::list_hashtags(&key).await?.hashtags;
    seen["hashtags"] = hashtags.iter().map(|one| json!([one.hashtag, one.links])).collect();
    let params = events_api::ListEventsParams { after: None, types: Some("link.created".into()), link_id: None, limit: Some(1), dir: None };
    let events = events_api::list_events(&key, params).await?.events;
    seen["events"] = json!([events[0].r#type, events[0].actor.as_ref().map(|actor| &actor.kind)]);
    let create_webhook_input = CreateWebhookInput::new("https://example.com/hook".into(), vec![WebhookType::LinkCreated]);
    let made = webhooks_api::create_webhook(&key, webhooks_api::CreateWebhookParams { create_webhook_input }).await?;
    let hook = || made.id.clone();
    let update_webhook_input = UpdateWebhookInput { enabled: Some(false), ..UpdateWebhookInput::new() };
    let params = webhooks_api::UpdateWebhookParams { id: hook(), update_webhook_input };
    let stopped = webhooks_api::update_webhook(&key, params).await?;
    let params = webhooks_api::RotateWebhookSecretParams { id: hook() };
    let renewed = webhooks_api::rotate_webhook_secret(&key, params).await?;
    let replay_input = ReplayInput::new(events[0].id.clone());
    webhooks_api::replay_webhook(&key, webhooks_api::ReplayWebhookParams { id: hook(), replay_input }).await?;
    let url = webhooks_api::get_webhook(&key, webhooks_api::GetWebhookParams { id: hook() }).await?.url;
    let params = webhooks_api::ListDeliveriesParams { id: hook() };
    let deliveries = webhooks_api::list_deliveries(&key, params).await?.deliveries.len();
    webhooks_api::test_webhook(&key, webhooks_api::TestWebhookParams { id: hook() }).await?;
    webhooks_api::delete_webhook(&key, webhooks_api::DeleteWebhookParams { id: hook() }).await?;
    let left = webhooks_api::list_webhooks(&key).await?.webhooks.len();
    seen["webhooks"] = json!([made.secret[..6], url, stopped.enabled, renewed.secret == made.secret, deliveries, left]);
    let refused = jobs_api::list_refused(&key, jobs_api::ListRefusedParams { id: job.id.clone() }).await?.text().await?;
    seen["rejected"] = json!(refused[..9]);
    seen["over"] = refusal(jobs_api::cancel_job(&key, jobs_api::CancelJobParams { id: job.id.clone() }).await);
    let params = jobs_api::UndoJobParams { id: job.id.clone(), idempotency_key: None };
    let undo = jobs_api::undo_job(&key, params).await?;
    seen["undone"] = json!(jobs_api::get_job(&key, jobs_api::GetJobParams { id: undo.id }).await?.kind);
    let file = std::env::temp_dir().join(format!("links-{}.csv", std::process::id()));
    std::fs::write(&file, "url\nhttps://example.com/\n")?;
    let params = jobs_api::StartImportParams {
        body: file.clone(),
        format: None,
        dry_run: None,
        host: None,
        columns: None,
        name: None,
        idempotency_key: None,
    };
    let imported = jobs_api::start_import(&key, params).await?;
    std::fs::remove_file(file)?;
    if let ImportAnswer::Job(mut job) = imported {
        while job.finished_at.is_none() {
            job = Box::new(jobs_api::get_job(&key, jobs_api::GetJobParams { id: job.id.clone() }).await?);
        }
        seen["imported"] = json!([job.kind, job.created]);
    }
    seen["jobs"] = json!(jobs_api::list_jobs(&key).await?.jobs.len());
    links_api::delete_link(&key, links_api::DeleteLinkParams { id: id.clone() }).await?;
    seen["refused"] = refusal(links_api::get_link(&key, get(&id)).await);
    let too_many = links_api::ListLinksParams { per: Some(101), ..list_params() };
    seen["invalid"] = refusal(links_api::list_links(&key, too_many).await);

    let create_session_input = CreateSessionInput::new(var("SIGN_IN_TOKEN")?);
    let params = sessions_api::CreateSessionParams { create_session_input };
    let session = with_token(sessions_api::create_session(&with_token(String::new())?, params).await?.token)?;
    let keys = account_api::list_keys(&session).await?.keys;
    seen["keys"] = keys.iter().map(|key| json!(key.scope)).collect();
    let scope = KeyScope::PublicLinksOnly;
    let params = account_api::RotateKeyParams { scope, rotate_key_input: Some(RotateKeyInput::new()) };
    let rotated = account_api::rotate_key(&session, params).await?.key;
    seen["rotated"] = json!(rotated[..8]);
    account_api::revoke_key(&session, account_api::RevokeKeyParams { scope }).await?;
    seen["left"] = json!(account_api::list_keys(&session).await?.keys.len());
    let create_restricted_key_input =
        CreateRestrictedKeyInput::new("Reader".into(), KeyScope::FullAccess, vec![KeyAction::Read]);
    let params = account_api::CreateRestrictedKeyParams { create_restricted_key_input };
    let restricted = account_api::create_restricted_key(&session, params).await?;
    let reader = account_api::list_restricted_keys(&session).await?.keys.remove(0);
    let params = account_api::DeleteRestrictedKeyParams { id: restricted.id };
    account_api::delete_restricted_key(&session, params).await?;
    let restricted_left = account_api::list_restricted_keys(&session).await?.keys.len();
    seen["restricted"] = json!([restricted.key[..8], reader.name, reader.actions, restricted_left]);
    let query = SavedFilterQuery { hashtag: Some("sale".into()), ..SavedFilterQuery::new() };
    let save_filter_input = SaveFilterInput::new("Sale".into(), query);
    let saved = account_api::save_filter(&session, account_api::SaveFilterParams { save_filter_input }).await?;
    let filters = account_api::list_saved_filters(&session).await?.filters.remove(0);
    account_api::delete_saved_filter(&session, account_api::DeleteSavedFilterParams { id: saved.id }).await?;
    let filters_left = account_api::list_saved_filters(&session).await?.filters.len();
    seen["filters"] = json!([saved.query.hashtag, [filters.name], filters_left]);
    let add_host_input = AddHostInput::new("go.example.com".into());
    let host = hosts_api::add_host(&key, hosts_api::AddHostParams { add_host_input }).await?;
    let id = || host.id.clone();
    let update_host_input = UpdateHostInput { root_url: Some(Some("https://example.com/".into())), ..Default::default() };
    let rooted = hosts_api::update_host(&key, hosts_api::UpdateHostParams { id: id(), update_host_input }).await?;
    let hosts = hosts_api::list_hosts(&key).await?.hosts.len();
    let name = hosts_api::get_host(&key, hosts_api::GetHostParams { id: id() }).await?.host;
    let looked = hosts_api::verify_host(&key, hosts_api::VerifyHostParams { id: id() }).await?.status;
    hosts_api::delete_host(&key, hosts_api::DeleteHostParams { id: id() }).await?;
    let gone = refusal(hosts_api::get_host(&key, hosts_api::GetHostParams { id: id() }).await);
    seen["hosts"] = json!([host.status, rooted.root_url, hosts, name, looked, gone[0]]);
    let options = account_api::create_passkey_options(&session).await?;
    let passkeys = account_api::list_passkeys(&session).await?.passkeys.len();
    let add_passkey_input = AddPasskeyInput::new("Generated".into(), Default::default());
    let params = account_api::AddPasskeyParams { add_passkey_input };
    let added = refusal(account_api::add_passkey(&session, params).await);
    let params = account_api::DeletePasskeyParams { id: "unknown".into() };
    let deleted = refusal(account_api::delete_passkey(&session, params).await);
    let request = sessions_api::create_sign_in_options(&session).await?;
    let passkey_sign_in_input = PasskeySignInInput::new(Default::default());
    let params = sessions_api::CreatePasskeySessionParams { passkey_sign_in_input };
    let signed_in = refusal(sessions_api::create_passkey_session(&session, params).await);
    let (attestation, verification) = (&options["attestation"], &request["userVerification"]);
    seen["passkeys"] = json!([attestation, passkeys, added[0], deleted[0], verification, signed_in[0]]);
    let account = account_api::list_session_accounts(&session).await?.accounts.remove(0);
    let switch_session_input = SwitchSessionInput::new("unknown".into());
    let params = sessions_api::SwitchSessionParams { switch_session_input };
    let switched = refusal(sessions_api::switch_session(&session, params).await);
    seen["accounts"] = json!([account.role, account.current, switched[0]]);
    sessions_api::delete_current_session(&session).await?;
    println!("{seen}");
    Ok(())
}
